import Fetching
import Testing

@testable import Enriching

@Suite("Advice that follows from the cause") struct CauseTests {
  @Test(
    "goes by what is wrong with a URL",
    arguments: [
      ("https://u:p@a/b", "user name"), ("https://a/b\nc", "control characters"), ("/x.jpg", "--base-url"),
      ("data:image/png;base64,aa", "data in a URL"), ("cid:1", "email"), ("blob:https://a/b", "browser"),
      ("gs://a/b", "of the object"), ("S3://a/b", "of the object"), ("mxc://a/b", "Matrix"),
      ("tel:123", "opens 'tel'"), ("https://{{host}}/a", "placeholder"),
    ])
  func urls(url: String, part: String) {
    for error in [FetchError.urlInvalid(detail: "x"), .schemeNotAllowed("x")] {
      let advice = Failure(error, url: url).advice
      #expect(advice.contains(part) && !advice.contains("--allow-http "), "\(advice)")
    }
  }

  @Test("is that of the reason for an http URL")
  func http() {
    #expect(Failure(.schemeNotAllowed("http"), url: "http://a/b").advice == Reason.schemeNotAllowed.advice)
  }

  @Test(
    "is about the redirect if that led to a URL which is not fetched",
    arguments: [
      (
        FetchError.schemeNotAllowed("ftp"), "ftp://x/y",
        "scheme-not-allowed: a redirect leads to a URL that starts with 'ftp:', which is not fetched"
      ),
      (
        .schemeNotAllowed("aesgcm"), "aesgcm://x/y",
        "scheme-not-allowed: a redirect leads to a URL that starts with 'aesgcm:', which is not fetched"
      ),
      (
        .urlInvalid(detail: "Unsupported number of slashes"), "data:image/png;",
        "url-invalid: a redirect leads to a URL that starts with 'data:', which is not fetched"
      ),
      (
        .urlInvalid(detail: "it carries a user name or password"), "http://u:p@a/b",
        "url-invalid: a redirect leads to a URL that cannot be fetched: it carries a user name or password"
      ),
    ])
  func targets(error: FetchError, target: String, text: String) {
    let failure = Failure(error, url: "https://a/b", target: target)
    #expect("\(failure)" == text)
    #expect(failure.advice == "link to the file itself, or have the server redirect to its https URL")
  }

  @Test("says what allows a redirect to http")
  func plainTarget() {
    let failure = Failure(.schemeNotAllowed("http"), url: "https://a/b", target: "http://a/b")
    #expect("\(failure)" == "scheme-not-allowed: a redirect leads to http, which is not fetched")
    #expect(
      failure.advice
        == "link to an https URL that redirects to https only, or allow the redirect with --allow-http and --allow-downgrade"
    )
  }

  @Test(
    "goes by the cause in TLS, in our own words",
    arguments: [
      ("error:0A00010B:SSL routines::wrong version number", "does not speak TLS"),
      ("SSL certificate problem: certificate has expired", "has expired"),
      ("SSL: no alternative certificate subject name matches target host name 'a'", "another name"),
      ("SSL certificate problem: self-signed certificate", "known authority"),
      ("SSL certificate problem: unable to get local issuer certificate", "known authority"),
      ("error:0A000410:SSL routines::sslv3 alert handshake failure", "in common"),
      ("strange", "TLS connection failed"),
    ])
  func tls(detail: String, part: String) {
    let failure = Failure(.tlsFailed(detail: detail))
    #expect(failure.detail.contains(part) && failure.detail.hasSuffix(": \(detail)"), "\(failure.detail)")
  }

  @Test("differs by status")
  func statuses() {
    let advice = [401, 403, 404, 410, 418, 429, 500, 204].map {
      Failure(.httpStatus($0, retryAfter: nil)).advice
    }
    #expect(Set(advice).count == advice.count)
    #expect(!advice.contains(Reason.httpStatus.advice))
  }

  @Test(
    "says that a redirect leads nowhere only if it would be followed",
    arguments: [301, 302, 303, 307, 308], [300, 305, 306, 399])
  func redirects(followed: Int, other: Int) {
    #expect(
      Failure(.httpStatus(followed, retryAfter: nil)).advice
        == "check the server: it redirects, but does not say where to")
    #expect(
      Failure(.httpStatus(other, retryAfter: nil)).advice
        == "link to the file itself: of these statuses, only 301, 302, 303, 307 and 308 are followed")
  }

  @Test(
    "goes by the bytes",
    arguments: [
      ("HTML page", "page"), ("empty file", "no byte"), ("JSON document", "message"),
      ("XML error document", "message"),
      ("base64 text", "base64"), ("SVG image", "SVG"), ("WebP image", "JPEG"),
      ("MP4 fragment", "piece"), ("encrypted MP4 (DRM)", "DRM"),
    ])
  func bytes(name: String, part: String) {
    #expect(Failure.unsupported(name).advice.contains(part))
    #expect(Failure.unsupported("something else").advice == Reason.typeUnsupported.advice)
  }
}
