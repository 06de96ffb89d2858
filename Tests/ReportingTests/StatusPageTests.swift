import TestSupport
import Testing

@testable import Reporting
@testable import Serving

@Suite("The page for people")
struct StatusPageTests {
  @Test("is page.html, with a nonce for its style and its script only, which differs in every response")
  func bytes() throws {
    let file = try String(
      decoding: Files.read("\(Fixtures.root)/Sources/Reporting/page.html"), as: UTF8.self)
    var nonces: Set<String> = []
    for _ in 0..<3 {
      let page = StatusPages.page()
      let policy = try #require(page.fields.first { $0.name == "Content-Security-Policy" }?.value)
      let nonce = try #require(policy.split(separator: "script-src 'nonce-").last?.prefix { $0 != "'" })
      #expect(policy.hasSuffix("script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'"))
      #expect(String(decoding: page.body, as: UTF8.self) == file.replacing("NONCE", with: nonce))
      nonces.insert(String(nonce))
    }
    #expect(nonces.count == 3)
    #expect(file.split(separator: " nonce=\"NONCE\">\n").count == 3)
    #expect(file.split(separator: "NONCE").count == 3)
  }
}
