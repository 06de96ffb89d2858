import Testing

@testable import S3Storing

@Suite("URLs of services")
struct ServiceURLTests {
  @Test("the authority names the port unless it is the scheme's own, and brackets IPv6 addresses")
  func authority() {
    #expect(ServiceURL(host: "a.example", port: 443, target: "/x?y").text == "https://a.example/x?y")
    #expect(ServiceURL(isSecure: false, host: "::1", port: 8333).authority == "[::1]:8333")
  }
}
