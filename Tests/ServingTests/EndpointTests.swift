import Serving
import Testing

@Suite("An endpoint")
struct EndpointTests {
  @Test(
    "is an address and a port",
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", 8080, "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0", 0, "0.0.0.0:0"),
      ("localhost:65535", "127.0.0.1", 65_535, "127.0.0.1:65535"), ("[::1]:80", "::1", 80, "[::1]:80"),
      ("[::]:8080", "::", 8080, "[::]:8080"),
    ])
  func valid(text: String, address: String, port: Int, description: String) throws {
    let endpoint = try Endpoint(text)
    #expect(endpoint.address == address)
    #expect(endpoint.port == port)
    #expect("\(endpoint)" == description)
  }

  @Test(
    "refuses everything else",
    arguments: [
      "", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1",
      "127.0.0.1:+1", "127.0.0.1:99999999999999999999", "127.0.0.1:１", "worker:8080", "::1:8080", "[::1]",
      "[127.0.0.1]:80", "[]:80", "http://127.0.0.1:80", "127.1:80", "127.0.0.1 :80",
    ])
  func invalid(text: String) {
    #expect(throws: ServingError.endpointInvalid(text)) { try Endpoint(text) }
  }

  @Test("that is invalid is reported with an example of a valid one") func advice() {
    #expect(
      "\(ServingError.endpointInvalid("worker"))"
        == "'worker' is not an address and port: write one like 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080")
  }
}
