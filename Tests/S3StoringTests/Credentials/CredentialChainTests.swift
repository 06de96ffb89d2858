import Glibc
import Synchronization
import TestSupport
import Testing

@testable import S3Storing

@Suite("renewal of credentials")
struct CredentialChainTests {
  /// A service for containers. The test chooses its answers, which it gives once the latch is open.
  private final class Service: Sendable {
    private let state = Mutex((answers: [Result<HTTPAnswer, HTTPFailure>](), requests: 0))
    let latch = Latch()
    let warnings = Warnings()

    var requests: Int { state.withLock { $0.requests } }

    func add(_ key: String, end: Int64) {
      let time = ServiceClock.timestamp(end)
      let json = #"{"AccessKeyId":"\#(key)","SecretAccessKey":"S","Token":"T","Expiration":"\#(time)"}"#
      let answer = HTTPAnswer(status: 200, headers: [], body: Array(json.utf8))
      state.withLock { $0.answers.append(.success(answer)) }
    }

    func add(_ status: Int) {
      state.withLock { $0.answers.append(.success(HTTPAnswer(status: status, headers: [], body: []))) }
    }

    func add(_ failure: HTTPFailure) { state.withLock { $0.answers.append(.failure(failure)) } }

    func answer() async throws(HTTPFailure) -> HTTPAnswer {
      try? await latch.pass()
      let answer = state.withLock { state in
        state.requests += 1
        return state.answers.isEmpty ? .failure(.silence) : state.answers.removeFirst()
      }
      return try answer.get()
    }

    func chain(_ environment: [String: String] = [:]) -> CredentialChain {
      let environment = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/"].merging(environment) { $1 }
      return CredentialChain(
        environment: environment, region: "", warn: { self.warnings.add($0) }
      ) { (_, _) throws(HTTPFailure) in try await self.answer() }
    }
  }

  private static let refusal = CredentialError.refused(
    .container, server: "http://169.254.170.2", status: 403, code: nil)
  private let service = Service()

  @Test("64 that need credentials at once ask once, and one that is cancelled waits no longer")
  func once() async throws {
    service.add("A", end: 10_000)
    let chain = service.chain()
    let cancelled = Task { try await chain.current(now: 0).accessKey }
    cancelled.cancel()
    await #expect(throws: CredentialError.late) { try await cancelled.value }
    let others = Task {
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<63 { group.addTask { try await chain.current(now: 0).accessKey } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    service.latch.open()
    #expect(try await others.value == [String](repeating: "A", count: 63))
    #expect(service.requests == 1)
  }

  @Test("credentials are renewed five minutes before their end, and nobody waits for that")
  func early() async throws {
    service.add("A", end: 10_000)
    service.add("B", end: 20_000)
    let chain = service.chain()
    service.latch.open()
    #expect(try await chain.current(now: 0).accessKey == "A")
    #expect(try await chain.current(now: 9_699).accessKey == "A")
    #expect(service.requests == 1)
    #expect(try await chain.current(now: 9_700).accessKey == "A")
    #expect(try await eventually { try await chain.current(now: 9_700).accessKey == "B" })
    #expect(service.requests == 2)
  }

  @Test("if the renewal fails, the old ones stay in use until their end, and then the error is reported")
  func failing() async throws {
    service.add("A", end: 10_000)
    for _ in 0..<4 { service.add(403) }
    let chain = service.chain()
    service.latch.open()
    for (time, requests) in [(0, 1), (9_700, 2), (9_704, 2), (9_705, 3), (9_999, 4)] {
      #expect(try await chain.current(now: Int64(time)).accessKey == "A")
      #expect(await eventually { service.requests == requests && !chain.isRenewing })
    }
    await #expect(throws: Self.refusal) { try await chain.current(now: 10_004) }
    service.add("B", end: 20_000)
    // For five seconds, the chain repeats the error without asking the service.
    await #expect(throws: Self.refusal) { try await chain.current(now: 10_008) }
    #expect(try await chain.current(now: 10_009).accessKey == "B")
    #expect(
      await eventually {
        service.warnings.all == [
          "the credentials for the object store expire at 1970-01-01T02:46:40Z, and could not be renewed yet: \(Self.refusal)",
          "the credentials for the object store are renewed again",
        ]
      })
  }

  @Test("a request that gets no answer, or one that passes, is sent three times")
  func again() async throws {
    service.add(.silence)
    service.add(503)
    service.add("A", end: 10_000)
    let chain = service.chain()
    service.latch.open()
    #expect(try await chain.current(now: 0).accessKey == "A")
    for _ in 0..<3 { service.add(.silence) }
    let error = CredentialError.noAnswer(.container, server: "http://169.254.170.2", .silence)
    await #expect(throws: error) { try await chain.current(now: 10_000) }
    #expect(service.requests == 6)
    service.add(403)
    await #expect(throws: Self.refusal) { try await chain.current(now: 10_005) }
    #expect(service.requests == 7)
    #expect(service.warnings.all == [])
  }

  @Test(
    "a disk that hangs blocks nobody who is cancelled, nor the threads that run tasks",
    .timeLimit(.minutes(5)))
  func hanging() async throws {
    try await withTemporaryDirectory { folder in
      let pipe = folder.path(of: "credentials")
      try #require(unsafe mkfifo(pipe, 0o600) == 0)
      // A reader of the pipe waits as long as somebody may write into it.
      let end = unsafe open(pipe, O_RDWR | O_CLOEXEC)
      try #require(end >= 0)
      let chains = (0..<16).map { _ in service.chain(["AWS_SHARED_CREDENTIALS_FILE": pipe]) }
      let tasks = chains.map { chain in Task { try await chain.current(now: 0).accessKey } }
      #expect(await eventually { chains.allSatisfy(\.isRenewing) })
      for task in tasks {
        task.cancel()
        await #expect(throws: CredentialError.late) { try await task.value }
      }
      close(end)
      service.latch.open()
      #expect(await eventually { !chains.contains(where: \.isRenewing) })
    }
  }

  @Test("rejected credentials are renewed once for all that used them")
  func rejected() async throws {
    service.add("A", end: 10_000)
    service.add("B", end: 10_000)
    let chain = service.chain()
    service.latch.open()
    let old = try await chain.current(now: 0)
    let other = try await chain.renew(after: old, now: 1)
    #expect(other.accessKey == "B")
    #expect(try await chain.renew(after: old, now: 1) == other)
    #expect(service.requests == 2)
    // The new credentials are rejected, too, for each of many payloads.
    service.add("B", end: 10_000)
    for now: Int64 in [2, 5] { #expect(try await chain.renew(after: other, now: now) == other) }
    #expect(service.requests == 2)
    for _ in 0..<3 { #expect(try await chain.renew(after: other, now: 6) == other) }
    #expect(service.requests == 3)
  }

  @Test("many whose credentials are rejected at once all get the new ones")
  func rejectedAtOnce() async throws {
    for _ in 0..<50 {
      let service = Service()
      service.latch.open()
      service.add("A", end: 10_000)
      service.add("B", end: 10_000)
      let chain = service.chain()
      let old = try await chain.current(now: 0)
      let keys = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<16 { group.addTask { try await chain.renew(after: old, now: 1).accessKey } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(keys == [String](repeating: "B", count: 16))
      #expect(service.requests == 2)
    }
  }

  @Test("a source without other credentials returns the rejected ones")
  func same() async throws {
    let environment = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"]
    let chain = CredentialChain(
      environment: environment, region: "", client: HTTPClient(certificateFile: nil))
    let old = try await chain.current(now: 0)
    #expect(try await chain.renew(after: old) == old)
  }
}

/// Collects what the operator is told.
private final class Warnings: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

extension HTTPFailure {
  fileprivate static let silence = HTTPFailure(
    problem: "it is silent", advice: "wake it up", mayTryAgain: true)
}
