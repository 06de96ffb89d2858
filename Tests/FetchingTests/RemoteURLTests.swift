@testable import Fetching
import Testing

@Suite("RemoteURL")
struct RemoteURLTests {
  struct Reading: Sendable {
    let text: String
    let host: String
    var port = 443
    /// The URL that is requested, if it differs from the text.
    var becomes: String?

    init(_ text: String, _ host: String, _ port: Int = 443, becomes: String? = nil) {
      self.text = text
      self.host = host
      self.port = port
      self.becomes = becomes
    }
  }

  static let readings = [
    Reading("https://media.example/a.jpg", "media.example"),
    Reading("HTTPS://Media.Example/A.jpg", "Media.Example", becomes: "https://Media.Example/A.jpg"),
    Reading("https://media.example", "media.example", becomes: "https://media.example/"),
    Reading("https://media.example:8443/a?b=c&d", "media.example", 8443),
    Reading("https://media.example?b=/c", "media.example", becomes: "https://media.example/?b=/c"),
    Reading("http://media.example/a", "media.example", 80),
    Reading("http://media.example:443/a", "media.example", 443),
    Reading("https://media.example/a#part", "media.example", becomes: "https://media.example/a"),
    Reading(
      "https://media.example/a b/ü.jpg?c d=ü", "media.example",
      becomes: "https://media.example/a%20b/%C3%BC.jpg?c%20d=%C3%BC"),
    Reading(
      #"https://media.example/a|{b}"<c>^`\[d]%?e|{f}"<g>^`\[h]%4"#, "media.example",
      becomes:
        "https://media.example/a%7C%7Bb%7D%22%3Cc%3E%5E%60%5C%5Bd%5D%25?e%7C%7Bf%7D%22%3Cg%3E%5E%60%5C%5Bh%5D%254"
    ),
    Reading("https://media.example/%c3%BC%2f?a+b=%7c", "media.example"),
    Reading(
      " \r\n\u{a0}\u{200b}https://media.example/a \u{feff}\u{200b}\t\n", "media.example",
      becomes: "https://media.example/a"),
    Reading("https://media.example/a/../b/./c", "media.example", becomes: "https://media.example/b/c"),
    Reading("https://media.example/%2e%2e/%41", "media.example"),
    // International names (RFC 5891), and characters that fold into them (UTS 46).
    Reading("https://bücher.example/a", "xn--bcher-kva.example", becomes: "https://xn--bcher-kva.example/a"),
    Reading("https://xn--bcher-kva.example/a", "xn--bcher-kva.example"),
    Reading("https://例え.テスト/a", "xn--r8jz45g.xn--zckzah", becomes: "https://xn--r8jz45g.xn--zckzah/a"),
    Reading("https://ｍｅｄｉａ.example/a", "media.example", becomes: "https://media.example/a"),
    // Numbers are addresses, however they are spelled.
    Reading("https://127.0.0.1/a", "127.0.0.1"),
    Reading("https://127.1/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://0177.0.0.01/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://0x7F.1/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://2130706433/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://１２７.0.0.1/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://１２７.1/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://127。1/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://２130706433/a", "127.0.0.1", becomes: "https://127.0.0.1/a"),
    Reading("https://%31%32%37.1:8443/a", "127.0.0.1", 8443, becomes: "https://127.0.0.1:8443/a"),
    Reading("https://[::1]/a", "::1"),
    Reading("https://[2001:DB8::0001]:8443/a", "2001:db8::1", 8443, becomes: "https://[2001:db8::1]:8443/a"),
    Reading("https://[::ffff:127.0.0.1]/a", "::ffff:127.0.0.1"),
    Reading("https://［0：：0：1］/a", "::1", becomes: "https://[::1]/a"),
  ]

  @Test("a host that is longer than any name is refused, and the longest one is kept whole for people")
  func longHost() throws {
    let label = String(repeating: "a", count: 62) + "."
    let longest = String(repeating: label, count: 4) + "a."
    let url = try RemoteURL("https://\(longest):65535/\(longest)")
    #expect(url.host == longest)
    #expect(url.beginning == String(url.text.prefix(300)) + "…")
    #expect(url.beginning.hasPrefix("https://\(longest):65535/"))
    #expect(throws: FetchError.urlInvalid(detail: "its host is longer than 254 bytes")) {
      _ = try RemoteURL("https://a\(longest)/")
    }
  }

  @Test("URLs are read like this", arguments: readings)
  func reading(expected: Reading) throws {
    let url = try RemoteURL(expected.text)
    #expect(url.host == expected.host)
    #expect(url.port == expected.port)
    #expect(url.text == expected.becomes ?? expected.text)
    #expect(url.scheme == (url.text.hasPrefix("https:") ? .https : .http))
    #expect(url.root.text + url.target == url.text)
    #expect(url.target.hasPrefix("/"))
    // The resulting URL is read in the same way again.
    #expect(try RemoteURL(url.text) == url)
  }

  @Test(
    "text that is not an absolute URL is refused",
    arguments: [
      "", " ", "media.example/a.jpg", "//media.example/a", "/a.jpg", "a.jpg", "https:", "https://",
      "https:///", "https://:443/",
      "https://media.example:65536/", "https://media.example:-1/", "https://media.example:x/",
      "https://media.example:8e2/",
      "https://user@media.example/", "https://user:word@media.example/", "https://:word@media.example/",
      "https://media.example\u{0}/", "https://media.example/a\nb", "https://media.example/\r\nHost: x",
      "https://media.example/\u{7f}",
      "https://media example/", "https://media.example\\@127.0.0.1/", "https://[::1/", "https://[::1]x/",
      "https://[fe80::1%25lo]/",
      "https://[fe80::1%lo]/", "https://[127.0.0.1]/", "https://*/", "https://a*b/",
      "https://me<dia.example/", "https://%00.example/", "https://%7f.example/", "https://a%20b.example/",
      "https://%2561n.example/", "https://a％41.example/", "https://a%25.example/",
      // Hosts that IDNA does not allow (RFC 5891 section 4.2.3): hyphens, a combining mark at the
      // start, length, and characters that are not allowed in names.
      "https://ab--ü.example/", "https://-ü.example/", "https://\u{301}a.example/",
      "https://\(String(repeating: "ü", count: 70)).example/", "https://\u{202e}evil.example/",
      "https://a\u{2028}.example/",
      "data:image/png;base64,AAAA", "javascript:alert(1)", "https//media.example", "https:media.example",
    ])
  func invalid(text: String) {
    let error = #expect(throws: FetchError.self) { try RemoteURL(text) }
    #expect(error?.unworded == .urlInvalid(detail: ""))
    #expect(error?.detail?.isEmpty == false)
  }

  @Test(
    "other schemes are refused",
    arguments: [
      ("ftp://media.example/a", "ftp"), ("file:///etc/passwd", "file"), ("gopher://media.example/", "gopher"),
      ("dict://127.0.0.1:11211/", "dict"), ("smb://media.example/a", "smb"), ("ws://media.example/", "ws"),
      ("x-app://media.example/", "x-app"), ("httpss://media.example/", "httpss"),
    ])
  func scheme(text: String, name: String) {
    #expect(throws: FetchError.schemeNotAllowed(name)) { try RemoteURL(text) }
  }

  /// RFC 3986 section 5.4, the ones that libcurl distinguishes, and what redirects really contain.
  @Test(
    "relative references are resolved",
    arguments: [
      ("g", "https://a.example/b/c/g"), ("./g", "https://a.example/b/c/g"),
      ("g/", "https://a.example/b/c/g/"),
      ("/g", "https://a.example/g"), ("//g.example/x", "https://g.example/x"),
      ("?y", "https://a.example/b/c/d?y"),
      ("g?y", "https://a.example/b/c/g?y"), ("g#s", "https://a.example/b/c/g"),
      ("..", "https://a.example/b/"), ("../g", "https://a.example/b/g"),
      ("../../g", "https://a.example/g"), ("http://g.example/x y", "http://g.example/x%20y"),
      ("?a b|c=ü", "https://a.example/b/c/d?a%20b%7Cc=%C3%BC"),
      ("/g[1]%zz", "https://a.example/g%5B1%5D%25zz"),
      ("//bücher.example/", "https://xn--bcher-kva.example/"), ("//127.1/", "https://127.0.0.1/"),
      ("//%31%32%37.1/", "https://127.0.0.1/"),
    ])
  func relative(reference: String, result: String) throws {
    let base = try RemoteURL("https://a.example/b/c/d?q")
    #expect(try RemoteURL(reference, relativeTo: base).text == result)
  }

  @Test("the length counts as it is sent, percent-encoded and behind the path of a redirect")
  func length() throws {
    let error = FetchError.urlInvalid(detail: "it is longer than 8000 bytes")
    let umlauts = "https://a.example/" + String(repeating: "ü", count: 2_000)
    #expect(throws: error) { try RemoteURL(umlauts) }
    var url = try RemoteURL("https://a.example/")
    let reference = String(repeating: "a", count: 3_000) + "/"
    for _ in 0..<2 { url = try RemoteURL(reference, relativeTo: url) }
    #expect(url.text.utf8.count == 6_020)
    #expect(throws: error) { try RemoteURL(reference, relativeTo: url) }
  }

  @Test("relative references that are not allowed are refused")
  func relativeInvalid() throws {
    let base = try RemoteURL("https://a.example/b")
    for text in [
      "//user@g.example/", "//[::1%25lo]/", "https://g.example:99999/", "/\u{1}x", "//127.0.0.1:x/",
    ] {
      let error = #expect(throws: FetchError.self) { try RemoteURL(text, relativeTo: base) }
      #expect(error?.unworded == .urlInvalid(detail: ""), "\(text)")
    }
    #expect(throws: FetchError.schemeNotAllowed("file")) { try RemoteURL("file:///x", relativeTo: base) }
  }

  @Test("only allowed ports and schemes are accepted")
  func rules() {
    var settings = FetchSettings()
    func error(_ text: String) -> FetchError? {
      do throws(FetchError) { try settings.check(RemoteURL(text)) } catch { return error }
      return nil
    }
    #expect(error("https://a.example/") == nil)
    #expect(error("http://a.example/") == .schemeNotAllowed("http"))
    for port in [0, 22, 80, 444, 8443] {
      #expect(error("https://a.example:\(port)/") == .portNotAllowed(port))
    }
    settings.allowsHTTP = true
    #expect(error("http://a.example/") == nil)
    #expect(error("http://a.example:443/") == .portNotAllowed(443))
    settings.allowedPorts = [8443]
    #expect(error("https://a.example:8443/") == nil)
    #expect(error("http://a.example:8443/") == nil)
    #expect(error("https://a.example:8444/") == .portNotAllowed(8444))
  }
}
