import Misbehaving
import TestSupport
import Testing

@Suite("The environment")
struct EnvironmentTests {
  /// A proxy would connect in our place, out of reach of the address rule.
  @Test("cannot send requests through a proxy") func proxy() async throws {
    try await withHostileServer { server in
      try await withHostileServer { proxy in
        let address = "http://127.0.0.1:\(proxy.port)"
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, address) })
        let payload = Push.naming(server.url(.serve(.photo)))
        let enriched = try await enrich(payload, reaching(server.port, proxy.port), environment: environment)
        #expect(enriched.outcome == "enriched", "\(enriched.line)")
        #expect(proxy.connections == 0)
        let direct = try await enrich(Push.naming("https://10.0.0.7/a.jpg"), environment: environment)
        #expect(direct.reason == "address-blocked")
        #expect(proxy.connections == 0)
      }
    }
  }

  @Test("cannot reveal a password, or change anything through a home directory") func home() async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        try folder.write(Array("machine 127.0.0.1 login me password secret\n".utf8), to: ".netrc")
        try folder.write(Array("user-agent = evil\nmax-filesize = 1\n".utf8), to: ".curlrc")
        let enriched = try await enrich(
          Push.naming(server.url(.serve(.photo))), reaching(server.port),
          environment: ["HOME": folder.path, "CURL_HOME": folder.path, "NETRC": folder.path(of: ".netrc")])
        #expect(enriched.outcome == "enriched", "\(enriched.line)")
        let request = try #require(server.requests(for: .serve(.photo)).first)
        #expect(request.value(of: "Authorization") == nil)
        #expect(request.value(of: "User-Agent")?.hasPrefix("push-enricher/") == true)
        #expect(request.value(of: "Cookie") == nil)
      }
    }
  }
}
