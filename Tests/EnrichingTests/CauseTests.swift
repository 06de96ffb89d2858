import Decrypting
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
      ("com.example.app://a", "opens 'com.example.app'"),
    ])
  func urls(url: String, part: String) {
    for error in [FetchError.urlInvalid(detail: "x"), .schemeNotAllowed("x")] {
      let advice = Failure(error, url: url).advice
      #expect(advice.contains(part) && !advice.contains("--allow-http "), "\(advice)")
    }
  }

  /// libcurl's own words are the same for most of these.
  @Test(
    "says what is there instead of a scheme",
    arguments: [
      ("cdn.example.com:8443/photo.jpg", "put https:// before the host"),
      ("127.0.0.1:41234/photo.jpg", "put https:// before the host"),
      ("localhost:3000/x.jpg", "put https:// before the host"),
      ("localhost:3000", "put https:// before the host"),
      ("media:80?a", "put https:// before the host"), ("[::1]:80/x", "put https:// before the host"),
      ("https:cdn.example/x", "put two slashes after https:, as in https://cdn.example/photo.jpg"),
      ("https:/cdn.example/x", "put two slashes after https:, as in https://cdn.example/photo.jpg"),
      ("http:////cdn.example/x", "put two slashes after http:, as in https://cdn.example/photo.jpg"),
      ("//cdn.example/x.jpg", "put https: before the two slashes"),
      ("<https://a/b>", "send the URL alone, without the marks or the text around it"),
      (#""https://a/b""#, "send the URL alone, without the marks or the text around it"),
      ("![x](https://a/b)", "send the URL alone, without the marks or the text around it"),
      ("URL: HTTP://a/b", "send the URL alone, without the marks or the text around it"),
      ("Photo\nhttps://a/b", "send the URL alone, without the marks or the text around it"),
      ("{'url': 'https://a/b'}", "send the URL alone, without the marks or the text around it"),
      ("“https://a/b”", "send the URL alone, without the marks or the text around it"),
      ("url=https://a/b", "send an absolute URL that starts with https://"),
      (
        "proxy?u=https://a/b",
        "send an absolute URL that starts with https://; --base-url completes relative ones"
      ),
    ])
  func places(url: String, advice: String) {
    #expect(Failure(.urlInvalid(detail: "x"), url: url).advice == advice)
  }

  @Test(
    "is to fill in a placeholder if the server does not know the URL",
    arguments: ["https://a/{{ id }}.jpg", "https://a/${id}", "https://a/<%= id %>", "https://a/%%id%%"])
  func placeholders(url: String) {
    func advice(_ status: Int) -> String { Failure(.httpStatus(status, retryAfter: nil), url: url).advice }
    #expect(
      advice(404) == "fill in the placeholder before the push is sent: the template did not replace it")
    #expect(advice(404) == advice(400) && advice(404) != advice(503))
    #expect(Cause.url("{% if image %}\(url){% endif %}")?.advice == advice(404))
  }

  @Test("asks for a shorter URL, not for another host, if the URL is too long")
  func length() {
    let url = "https://a/" + String(repeating: "a", count: 8_000)
    #expect(Failure(.urlInvalid(detail: "x"), url: url).advice == "send a shorter URL")
    let encoded = "https://a/" + String(repeating: "ü", count: 2_000)
    #expect(Failure(.urlInvalid(detail: "x"), url: encoded).advice == "send a shorter URL")
    #expect(Failure(.urlInvalid(detail: "x"), url: "data:\(url)").advice.contains("data in a URL"))
  }

  @Test("does not repeat what libcurl takes for a scheme")
  func details() {
    for (url, detail) in [
      ("localhost:3000/x.jpg", "it has no scheme: a media URL starts with https://"),
      ("cdn.example.com:8443/x.jpg", "it has no scheme: a media URL starts with https://"),
      ("URL: https://a/b", "there is other text around it"),
    ] {
      let failure = Failure(.urlInvalid(detail: "Unsupported number of slashes"), url: url)
      #expect("\(failure)" == "url-invalid: this URL cannot be fetched: \(detail)")
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

  @Test(
    "speaks of the certificate only if the certificate is wrong",
    arguments: [
      (
        "tlsv1 alert no application protocol", "the server does not offer HTTP/1.1",
        "have the server offer HTTP/1.1 (ALPN http/1.1) besides its other protocols"
      ),
      (
        "tlsv1 unrecognized name", "the server has no site of that name",
        "use a host name that the server has a certificate for"
      ),
      (
        "tlsv1 alert insufficient security",
        "the server and this program have no version of TLS, or no cipher, in common",
        "have the server offer TLS 1.2 or 1.3 with current ciphers"
      ),
      (
        "tlsv1 alert internal error", "the server refused the TLS handshake",
        "check the server's log, and that it serves this host name over TLS"
      ),
      (
        "tlsv1 unsupported extension", "the server refused the TLS handshake",
        "check the server's log, and that it serves this host name over TLS"
      ),
    ])
  func handshakes(reason: String, words: String, advice: String) {
    let detail = "OpenSSL/3.0.22: error:0A000460:SSL routines::\(reason)"
    let failure = Failure(.tlsFailed(detail: detail))
    #expect("\(failure)" == "tls-failed: \(words): \(detail)")
    #expect(failure.advice == advice)
  }

  @Test("says where the key of a medium may be")
  func keys() {
    let advice = Failure(DecryptingError.failed).advice
    #expect(advice.contains("--keys") && advice.contains("the medium's entry"), "\(advice)")
  }

  @Test("tells a host without a route from one on which nothing listens")
  func routes() {
    let connecting = "Failed to connect to cdn.example port 443 after 0 ms: Couldn't connect to server"
    let refused = Failure(.connectFailed(detail: connecting, isTransient: false))
    #expect("\(refused)" == "connect-failed: nothing listens there: \(connecting)")
    let noRoute = "\(connecting): Network is unreachable"
    let unreachable = Failure(.connectFailed(detail: noRoute, isTransient: true))
    #expect("\(unreachable)" == "connect-failed: there is no route to the host: \(noRoute)")
    #expect(
      unreachable.advice == "check this machine's routes; without IPv6, serve the media over IPv4 too")
    let noAddress = "\(connecting): Cannot assign requested address"
    let homeless = Failure(.connectFailed(detail: noAddress, isTransient: true))
    #expect(
      "\(homeless)" == "connect-failed: this machine has no address or port to connect from: \(noAddress)")
    #expect(
      homeless.advice
        == "check this machine's addresses and free ports; without IPv6, serve the media over IPv4 too")
  }

  @Test("names what the server did in or after the handshake")
  func endings() {
    let broken = "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to 127.0.0.1:443 "
    let failure = Failure(.tlsFailed(detail: broken))
    #expect("\(failure)" == "tls-failed: the connection ended during the TLS handshake: \(broken)")
    #expect(
      failure.advice == "check the server's log: it ended the connection, or a proxy in front of it did")
    let late = "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
    let other = Failure(.connectFailed(detail: late, isTransient: true))
    #expect("\(other)" == "connect-failed: the server asks for a client certificate: \(late)")
    #expect(other.advice == "serve the media without client certificates: none is sent")
  }

  @Test("differs by status")
  func statuses() {
    let advice = [401, 403, 404, 408, 410, 418, 429, 500, 204].map {
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
