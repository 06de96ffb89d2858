import Fetching
import Misbehaving
import TestSupport
import Testing

/// Temporary failures are retried while there is time.
@Suite("Retries", .timeLimit(.minutes(5)))
struct RetryTests {
  private static let response = Response(.bytes(Array(repeating: 7, count: 1_000)), as: "image/jpeg")

  static let transient: [(Behaviour, Step)] =
    [
      (.reset, Step(nil, error: .brokenOff)),
      (.truncated(response), Step(200, error: .bodyTruncated(received: 500, announced: 1_000))),
      (.unavailable(429, retryAfter: "0"), Step(429, error: .httpStatus(429, retryAfter: 0))),
      (.unavailable(429, retryAfter: "1"), Step(429, error: .httpStatus(429, retryAfter: 1))),
      (.unavailable(503, retryAfter: "1"), Step(503, error: .httpStatus(503, retryAfter: 1))),
    ]
    + [408, 502, 503, 504].map { (.unavailable($0), Step($0, error: .httpStatus($0, retryAfter: nil))) }

  @Test("a temporary failure is retried", arguments: transient)
  func passing(failure: Behaviour, step: Step) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.failing(first: 1, by: failure, then: .serve(Self.response))
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.steps == [step, Step(200, attempt: 2)])
      #expect(fetch.body == Array(repeating: 7, count: 1_000))
      #expect(fetch.begun == (step.status == 200 ? 2 : 1))
      #expect(fetch.journal.phase == .done)
      #expect(server.tally(of: behaviour).requests == 2)
    }
  }

  @Test("two failures are accepted, three are not", arguments: [(2, 200 as Int?), (3, nil)])
  func attempts(failures: Int, status: Int?) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.failing(first: failures, by: .reset, then: .serve(Self.response))
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.status == status)
      #expect(fetch.failure == (status == nil ? .brokenOff : nil))
      #expect(server.tally(of: behaviour).requests == 3)
    }
  }

  @Test("all hops of a redirect share the tries")
  func redirectThenFailures() async throws {
    try await withHostileServer { server in
      let last = Behaviour.failing(first: 1, by: .unavailable(), then: .serve(Self.response))
      let first = Behaviour.failing(first: 1, by: .unavailable(504), then: .redirect(to: server.url(last)))
      let fetch = try await server.fetch(server.url(first))
      #expect(fetch.status == 200)
      #expect(fetch.journal.hops.map(\.attempt) == [1, 2, 1, 2])
      #expect(fetch.journal.hops.map(\.status) == [504, 302, 503, 200])
    }
  }

  /// Seconds, or a date far in the future (RFC 9110 section 10.2.3). A pause that does not fit into
  /// the deadline is a failure at once.
  @Test(
    "a server that asks for more time than is left gets no second request", arguments: [429, 503],
    ["3600", "9223372036854775807", "Fri, 01 Jan 2100 00:00:00 GMT"])
  func beyondDeadline(status: Int, retryAfter: String) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.unavailable(status, retryAfter: retryAfter)
      let fetch = try await server.fetch(server.url(behaviour))
      guard case .httpStatus(status, let pause?) = fetch.failure else {
        Issue.record("\(fetch.result)")
        return
      }
      #expect(pause >= 3_600)
      #expect(server.tally(of: behaviour).requests == 1)
    }
  }

  /// The usual pause would fit twice, and so would the server's.
  @Test(
    "a pause that a server asks for is not shortened: a server that asks for too much is not asked again",
    arguments: ["3", "10"])
  func wish(retryAfter: String) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.failing(
        first: 1, by: .unavailable(503, retryAfter: retryAfter), then: .serve(Self.response))
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.failure == .httpStatus(503, retryAfter: Int(retryAfter)))
      #expect(server.tally(of: behaviour).requests == 1)
    }
  }

  @Test("a failure is not retried if there is no time left")
  func noTime() async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(
        server.url(.late(by: .milliseconds(100), .unavailable())), within: .milliseconds(250))
      // On a slow machine, the answer itself may come too late.
      let ends: [FetchError] = [.httpStatus(503, retryAfter: nil), .cancelled]
      #expect(fetch.failure.map(ends.contains) == true)
      #expect(fetch.journal.hops.count == 1)
    }
  }
}
