import Fetching
import Misbehaving
import TestSupport
import Testing

/// The kernel refuses connections to multicast addresses at once, as it does without a route.
@Suite("Addresses that cannot be reached", .timeLimit(.minutes(5)))
struct UnreachableTests {
  private static let host = "media.example"
  private static let behaviour = Behaviour.serve(Response(.bytes([1, 2]), as: "image/png"))
  private static let unreachable = (1...4).map { "224.0.0.\($0)" }

  /// Fetches from a server on 127.0.0.1 while a name server gives this answer.
  private static func fetch(_ answer: NameAnswer) async throws -> Fetch {
    let ranges = [try AddressRange("127.0.0.0/8"), try AddressRange("224.0.0.0/4")]
    return try await withHostileServer { server in
      try await withNameServer([host: answer]) { names in
        let fetcher = try server.fetcher {
          $0.nameServers = names.address
          $0.addresses = AddressPolicy(allowing: ranges)
        }
        return await fetcher.get(server.url(behaviour, host: host))
      }
    }
  }

  @Test("the next one is used")
  func next() async throws {
    #expect(try await Self.fetch(.addresses(Self.unreachable + ["127.0.0.1"])).status == 200)
  }

  @Test("a transfer does not wait for its end if there is no other one")
  func none() async throws {
    let fetch = try await Self.fetch(.addresses(Self.unreachable))
    let error = FetchError.connectFailed(detail: "", isTransient: true)
    #expect(fetch.steps == (1...3).map { Step(nil, attempt: $0, error: error) })
    #expect(fetch.detail.hasSuffix(": Network is unreachable"))
  }

  @Test("many dead ones of one family do not keep out those of the other")
  func many() async throws {
    let dead = NameAnswer.addresses([], v6: (3...12).map { "::ffff:127.0.0.\($0)" })
    let late = NameAnswer.late(.milliseconds(100), .addresses(["127.0.0.1"]))
    // On a busy machine, the late answer may come too late to be waited for.
    #expect(try await eventually { try await Self.fetch(.perFamily(v4: late, v6: dead)).status == 200 })
  }

  @Test("those that accept no connection come last from then on")
  func order() async throws {
    let closing = Behaviour.raw(
      Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab".utf8))
    let range = try AddressRange("127.0.0.0/8")
    try await withHostileServer { server in
      try await withNameServer([Self.host: .addresses(["127.0.0.3", "127.0.0.1"])]) { names in
        let fetcher = try server.fetcher {
          $0.nameServers = names.address
          $0.addresses = AddressPolicy(allowing: [range])
        }
        let url = server.url(closing, host: Self.host)
        #expect(await fetcher.get(url).status == 200)
        try await withHostileServer(on: "127.0.0.3", port: server.port) { other in
          #expect(await fetcher.get(url).status == 200)
          #expect(other.connections == 0)
        }
      }
    }
  }

  @Test("the name is looked up again if only their family has answered in time")
  func late() async throws {
    let late = NameAnswer.inTurn([.silence, .addresses([], v6: ["::ffff:127.0.0.1"])])
    let fetch = try await Self.fetch(.perFamily(v4: .addresses(["224.0.0.1"]), v6: late))
    #expect(fetch.status == 200)
  }
}
