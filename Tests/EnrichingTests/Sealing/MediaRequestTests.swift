import Decrypting
import Notifications
import Testing

@testable import Enriching

@Suite("The key of a medium")
struct MediaRequestTests {
  private static let key = "yqdlZ-tYemfogSmv7Ws5PQ"
  private static let longKey = String(repeating: "A", count: 43)
  private static let hexadecimal = String(repeating: "0a", count: 44)
  private static let file =
    #""file":{"v":"v2","url":"https://m/a","key":{"kty":"oct","alg":"A256CTR","k":"\#(longKey)"},"iv":"AAAAAAAAAAAAAAAAAAAAAA","hashes":{"sha256":"\#(longKey)"}}"#

  /// The protection of an entry (`key`, `undeclared`, `failed` or `unknown`) and the URL to fetch.
  @Test(
    "an entry is decrypted as its shape says, and no other shape is tried",
    arguments: [
      (#""https://m/a""#, "undeclared", "https://m/a"),
      (#"{"url":"https://m/a"}"#, "undeclared", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":"\#(key)"}}"#, "key", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":"\#(key)","kid":"any"}}"#, "key", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","kid":"dev-7f3a"}}"#, "key", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","kid":"lost"}}"#, "unknown", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","kid":"web"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":"AAAA"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":null,"kid":"dev-7f3a"}}"#, "key", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":7,"kid":"dev-7f3a"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":null,"kid":null}}"#, "failed", "https://m/a"),
      (
        #"{"url":"https://m/a","enc":{"ce":"aes128gcm","k":"\u0079qdlZ-tYemfogSmv7Ws5PQ"}}"#, "key",
        "https://m/a"
      ),
      ("\"aesgcm://m/a\\u0023\(hexadecimal)\"", "key", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"ce":"aes256gcm","k":"\#(key)"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":{"k":"\#(key)"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":{}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":"aes128gcm"}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","enc":null}"#, "undeclared", "https://m/a"),
      (#"{"url":"https://m/a","enc":false}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","file":null}"#, "undeclared", "https://m/a"),
      (#"{"url":"https://m/a","file":0,"enc":null}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","file":null,"enc":{"ce":"aes128gcm","k":"\#(key)"}}"#, "key", "https://m/a"),
      (
        #"{"url":"https://m/a","enc":{"ce":"signal","k":"\#(longKey)\#(longKey)","digest":"\#(longKey)","size":1}}"#,
        "key", "https://m/a"
      ),
      (
        #"{"url":"https://m/a","file":null,"enc":{"ce":"signal","k":"\#(longKey)\#(longKey)","digest":"\#(longKey)","size":1}}"#,
        "key", "https://m/a"
      ),
      (
        #"{"url":"https://m/a","enc":{"ce":"signal","k":"\#(longKey)\#(longKey)","digest":"\#(longKey)"}}"#,
        "failed", "https://m/a"
      ),
      (
        #"{"url":"https://m/a","enc":{"ce":"signal","k":"\#(longKey)\#(longKey)","size":1}}"#, "failed",
        "https://m/a"
      ),
      (#"{"url":"https://m/a","enc":{"ce":"signal","kid":"dev-7f3a"}}"#, "failed", "https://m/a"),
      ("{\(file)}", "key", "https://m/a"), (#"{\#(file),"enc":null}"#, "key", "https://m/a"),
      (#"{\#(file),"enc":"none"}"#, "failed", "https://m/a"),
      (#"{\#(file),"enc":{"ce":"aes128gcm","k":"\#(key)"}}"#, "failed", "https://m/a"),
      (#"{"file":{"url":"https://m/a"}}"#, "failed", "https://m/a"),
      (#"{"url":"https://m/a","file":{}}"#, "failed", "https://m/a"),
      ("\"aesgcm://m/a#\(hexadecimal)\"", "key", "https://m/a"),
      ("\"AESGCM://m/a#\(hexadecimal)\"", "key", "https://m/a"),
      ("{\"url\":\"aesgcm:\\/\\/m\\/a#\(hexadecimal)\"}", "key", "https://m/a"),
      ("\"aesgcm://m/a\"", "failed", "https://m/a"), ("\"aesgcm://m/a#00\"", "failed", "https://m/a"),
      (
        #"{"url":"aesgcm://m/a#\#(hexadecimal)","enc":{"ce":"aes128gcm","k":"\#(key)"}}"#, "failed",
        "https://m/a"
      ),
      ("\"https://m/a#\(hexadecimal)\"", "undeclared", "https://m/a"),
    ])
  func protection(entry: String, expected: String, url: String) throws {
    let opened = try UnsealedContent(
      of: try Sealed.content("{\"media\":[\(entry)]}"), with: Sealed.ring(), mediaKeys: [])
    let medium = try #require(opened.media.first)
    #expect(medium.url == url)
    #expect(!medium.reference.url.contains("0a0a"))
    switch medium.protection {
    case .undeclared: #expect(expected == "undeclared")
    case .key: #expect(expected == "key")
    case .unopenable(.keyUnknown): #expect(expected == "unknown")
    case .unopenable: #expect(expected == "failed")
    }
  }

  @Test("a key in cleartext is not accepted") func inTheClear() throws {
    let payload = try Payload(
      Array(
        #"{"media":[{"url":"https://m/a","enc":{"ce":"aes128gcm","kid":"dev-7f3a"}},{"url":"https://m/b","enc":{"ce":"aes128gcm","k":"\#(Self.key)"}}]}"#
          .utf8))
    let opened = try UnsealedContent(of: payload, with: Sealed.ring(), mediaKeys: [])
    guard case .key = opened.media[0].protection, case .unopenable(.failed) = opened.media[1].protection
    else {
      Issue.record("\(opened.media)")
      return
    }
  }
}
