import Misbehaving
import Notifications
import Queueing
import Synchronization
import TestSupport
import Testing

@testable import Sending

@Suite struct ProviderTokenTests {
  /// A steady clock and a wall clock. Both stand still until the test sets them.
  final class Clocks: Sendable {
    private let seconds = Mutex((elapsed: 0, epoch: 1_700_000_000))

    var clock: TokenClock {
      TokenClock { [self] in
        seconds.withLock { TokenClock.Time(elapsed: .seconds($0.elapsed), epoch: $0.epoch) }
      }
    }

    func pass(_ count: Int) { seconds.withLock { $0 = ($0.elapsed + count, $0.epoch + count) } }
    /// Somebody sets the wall clock.
    func set(by count: Int) { seconds.withLock { $0.epoch += count } }
  }

  static func withToken(
    _ body: (ProviderToken, Clocks, TemporaryDirectory) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(try await SigningKeyTests.pem(), to: "key.p8", mode: 0o600)
      let clocks = Clocks()
      let token = try ProviderToken(
        file: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", clock: clocks.clock)
      try await body(token, clocks, folder)
    }
  }

  static func claims(_ authorization: String) throws -> (header: String, claims: String) {
    let parts = authorization.dropFirst("bearer ".count).split(separator: ".").map(String.init)
    try #require(authorization.hasPrefix("bearer ") && parts.count == 3)
    let texts = try parts.prefix(2).map {
      String(decoding: try #require(decodeBase64URL($0)), as: UTF8.self)
    }
    return (texts[0], texts[1])
  }

  @Test func tokenIsAsAppleWantsIt() async throws {
    try await Self.withToken { token, _, folder in
      #expect(token.age == nil)
      let text = try token.authorization()
      let (header, claims) = try Self.claims(text)
      #expect(header == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
      #expect(claims == #"{"iss":"DEF123GHIJ","iat":1699999500}"#)
      let signed = text.dropFirst("bearer ".count).split(separator: ".")
      let signature = try #require(decodeBase64URL(String(signed[2])))
      let pem = try Files.read(folder.path(of: "key.p8"))
      #expect(
        try await SigningKeyTests.verifies(signature, of: Array("\(signed[0]).\(signed[1])".utf8), with: pem))
      // The time of issue is dated back to a multiple of 25 minutes.
      #expect(token.age == .seconds(500))
    }
  }

  @Test func tokenIsRenewedAfterFiftyMinutes() async throws {
    try await Self.withToken { token, clocks, _ in
      let first = try token.authorization()
      clocks.pass(50 * 60 - 501)
      #expect(try token.authorization() == first)
      #expect(token.age == .seconds(50 * 60 - 1))
      clocks.pass(1)
      let second = try token.authorization()
      #expect(try Self.claims(second).claims == #"{"iss":"DEF123GHIJ","iat":1700002500}"#)
      #expect(try token.authorization() == second)
      clocks.pass(50 * 60 - 1)
      #expect(try token.authorization() == second)
      clocks.pass(1)
      #expect(try token.authorization() != second)
    }
  }

  /// One program runs on, and a supervisor starts another one every 20 seconds, for two hours.
  @Test func processesOfAKeyHaveTokensOfOneTimeOfIssue() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(try await SigningKeyTests.pem(), to: "key.p8", mode: 0o600)
      let clocks = Clocks()
      func start() throws -> ProviderToken {
        try ProviderToken(file: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", clock: clocks.clock)
      }
      let steady = try start()
      var claims: [String] = []
      for _ in 0..<360 {
        for text in [try start().authorization(), try steady.authorization()] {
          let claim = try Self.claims(text).claims
          if !claims.contains(claim) { claims.append(claim) }
        }
        clocks.pass(20)
      }
      // There is one time of issue in 25 minutes, and each appears once.
      let times = (0..<6).map { 1_699_999_500 + $0 * 1_500 }
      #expect(claims == times.map { #"{"iss":"DEF123GHIJ","iat":\#($0)}"# })
    }
  }

  @Test func refusedTokenIsRenewedOnceInTwentyMinutes() async throws {
    try await Self.withToken { token, clocks, _ in
      let first = try token.authorization()
      clocks.pass(20 * 60 - 1)
      #expect(!token.renew(after: first))
      #expect(try token.authorization() == first)
      clocks.pass(1)
      #expect(token.renew(after: first))
      let second = try token.authorization()
      #expect(second != first)
      #expect(try Self.claims(second).claims == #"{"iss":"DEF123GHIJ","iat":1700001200}"#)
      // Another connection has seen the first token refused.
      #expect(token.renew(after: first))
      #expect(try token.authorization() == second)
      #expect(!token.renew(after: second))
    }
  }

  /// The clock was two hours wrong when the program started.
  @Test func tokenOfAWrongClockIsRenewedOnceTheClockIsSet() async throws {
    try await Self.withToken { token, clocks, _ in
      let first = try token.authorization()
      clocks.pass(10)
      #expect(!token.renew(after: first))
      clocks.set(by: -7_200)
      #expect(token.renew(after: first))
      let second = try token.authorization()
      #expect(try Self.claims(second).claims == #"{"iss":"DEF123GHIJ","iat":1699992810}"#)
      token.accept(second)
      clocks.set(by: 7_200)
      #expect(!token.renew(after: second))
    }
  }

  /// If the key is wrong, a new token would not help. If the clock was wrong, it does.
  @Test func invalidTokenIsRenewedOnlyIfItsClockWasWrong() async throws {
    try await Self.withToken { token, clocks, _ in
      let first = try token.authorization()
      clocks.pass(20 * 60)
      #expect(!token.renew(after: first, isExpired: false))
      #expect(try token.authorization() == first)
      clocks.set(by: -7_200)
      #expect(token.renew(after: first, isExpired: false))
      let second = try token.authorization()
      #expect(try Self.claims(second).claims == #"{"iss":"DEF123GHIJ","iat":1699994000}"#)
      #expect(!token.renew(after: second, isExpired: false))
      #expect(try token.authorization() == second)
    }
  }

  @Test func pushIsSentAgainWithTheTokenOfTheRightClock() async throws {
    let (clocks, calls) = (Clocks(), Calls())
    let behaviour = HTTP2Behaviour("apns") { stream, _ in
      guard calls.next() == 1 else { return answer(stream, 200) }
      clocks.set(by: -7_200)
      return answer(stream, 403, "InvalidProviderToken")
    }
    try await withHTTP2Server(behaviour) { server, file in
      try await withSigningKey { key in
        let target = PushTarget(
          host: "127.0.0.1", port: server.port, topic: nil, connections: 1, rate: nil, certificateFile: file)
        let token = try ProviderToken(
          file: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", clock: clocks.clock)
        let sink = APNsSink(try PushLoop(target, .token(token), .short), topic: nil)
        let results = try await sink.send([.push("a")])
        #expect(results == [.sent])
        #expect(server.requests == 2)
        #expect(sink.counts.credentialsFault == nil)
      }
    }
  }

  @Test func changedKeyFileIsReadAgain() async throws {
    try await Self.withToken { token, clocks, folder in
      let path = folder.path(of: "key.p8")
      let old = try Files.read(path)
      let first = try token.authorization()
      try folder.write(Array("no key".utf8), to: "key.p8")
      clocks.pass(1)
      #expect(try token.authorization() == first)
      #expect(
        token.trouble?.hasPrefix("the old key stays in use: the key file \(path) cannot be used: ") == true)
      // The same key gives the same token.
      try folder.write(old, to: "key.p8")
      clocks.pass(1)
      #expect(try token.authorization() == first)
      #expect(token.trouble == nil)
      let pem = try await SigningKeyTests.pem()
      try folder.write(pem, to: "key.p8")
      clocks.pass(1)
      let second = try token.authorization()
      #expect(second != first)
      let parts = second.dropFirst("bearer ".count).split(separator: ".")
      let signature = try #require(decodeBase64URL(String(parts[2])))
      #expect(
        try await SigningKeyTests.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8), with: pem))
    }
  }

  @Test(arguments: [
    ("ABC123DEF", "DEF123GHIJ", "its key-id is 10 letters and digits, not 'ABC123DEF': "),
    ("ABC123DEFG", "", "its team-id is 10 letters and digits, not '': "),
    (#"ABC12","x""#, "DEF123GHIJ", #"its key-id is 10 letters and digits, not 'ABC12","x"': "#),
  ]) func wrongIdsAreRefused(keyID: String, teamID: String, text: String) {
    do throws(QueueError) {
      _ = try ProviderToken(file: "/nowhere", keyID: keyID, teamID: teamID)
      Issue.record("it was taken")
    } catch {
      #expect("\(error)".hasPrefix(text), "\(error)")
    }
  }
}
