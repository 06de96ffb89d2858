package import Misbehaving
import Synchronization

/// An object store on loopback that verifies each request as S3 does, keeps objects whole or not at
/// all, remembers what it was asked, and misbehaves on demand. Made by `withS3Server`.
package final class S3Server: Sendable {
  /// What its operator can change while it runs.
  package struct Settings: Sendable {
    package var buckets: Set<String> = ["media"]
    package var region = "eu-central-1"
    package var accounts = [S3Account(accessKey: "AKIATEST", secretKey: "secret+of/the=tests")]
    /// If a host is below one of these, its first label is a bucket: `media.localhost`. Requests to other
    /// hosts have the bucket in the path.
    package var domains: Set<String> = ["localhost", "s3.amazonaws.com"]
    /// Seconds by which its clock is ahead.
    package var clockOffset: Int64 = 0
    /// The refusal of `If-None-Match`; nil if the server supports it.
    package var conditionRefusal: S3Refusal?
    /// The refusal of `x-amz-checksum-…`, as R2 and B2 once sent it; nil if the server supports it.
    package var checksumRefusal: S3Refusal?
    /// The answer to HEAD if there is no such object. Without the right to list, S3 denies access.
    package var missingRefusal = S3Refusal.noSuchKey
    /// Whether anybody may read.
    package var isPublic = false

    package init() {}
  }

  /// A file in a bucket.
  package struct Object: Equatable, Sendable {
    package let bytes: [UInt8]
    package let contentType: String?
    package let cacheControl: String?
    package let contentDisposition: String?
    /// In seconds since 1970.
    package var modified: Int64

    package init(
      bytes: [UInt8], contentType: String?, cacheControl: String? = nil, contentDisposition: String? = nil,
      modified: Int64
    ) {
      (self.bytes, self.contentType, self.cacheControl) = (bytes, contentType, cacheControl)
      (self.contentDisposition, self.modified) = (contentDisposition, modified)
    }
  }

  /// A request that the server got, and what became of it.
  package struct Question: Equatable, Sendable {
    package let request: Request
    package let bucket: String
    package let key: String
    /// Connections are counted from 1.
    package let connection: Int
    /// The number of bytes of the body; nil until all of them were read.
    package var bodyCount: Int?
    /// The status of the answer; nil until there is one.
    package var status: Int?

    package var method: String { request.method }
  }

  struct State {
    var settings = Settings()
    var objects: [String: Object] = [:]
    var questions: [Question] = []
    var faults: [PlannedFault] = []
    var connections = (all: 0, open: 0, peak: 0)
  }

  let state = Mutex(State())
  private let listener: Listener
  private let scheme: String

  fileprivate init(on listener: Listener, scheme: String) {
    self.listener = listener
    self.scheme = scheme
  }

  package var port: Int { listener.port }
  /// - Parameter host: another name of the same server.
  package func endpoint(host: String = "127.0.0.1") -> String { "\(scheme)://\(host):\(port)" }

  package func change(_ body: (inout Settings) -> Void) { state.withLock { body(&$0.settings) } }

  /// - Parameters:
  ///   - methods: the requests that meet the fault; nil for all.
  ///   - count: only the next ones; nil for all.
  ///   - duration: only so long; nil for ever.
  package func plan(
    _ fault: S3Fault, on methods: Set<String>? = nil, next count: Int? = nil, for duration: Duration? = nil
  ) {
    let end = duration.map { ContinuousClock.now + $0 }
    state.withLock {
      $0.faults.append(PlannedFault(fault: fault, methods: methods, remaining: count, end: end))
    }
  }

  /// Forgets all faults that were planned.
  package func recover() { state.withLock { $0.faults = [] } }

  package var questions: [Question] { state.withLock { $0.questions } }
  package func questions(_ method: String) -> [Question] { questions.filter { $0.method == method } }

  /// Connections accepted so far, those open now, and the most that were open at once.
  package var connections: (all: Int, open: Int, peak: Int) { state.withLock { $0.connections } }

  /// The keys in a bucket, sorted.
  package func keys(in bucket: String = "media") -> [String] {
    let places = state.withLock { Array($0.objects.keys) }
    return places.filter { $0.hasPrefix("\(bucket)/") }.map { String($0.dropFirst(bucket.count + 1)) }
      .sorted()
  }

  package func object(_ key: String, in bucket: String = "media") -> Object? {
    state.withLock { $0.objects["\(bucket)/\(key)"] }
  }

  /// Puts, replaces or removes an object, as its operator would.
  package func setObject(_ object: Object?, _ key: String, in bucket: String = "media") {
    state.withLock { $0.objects["\(bucket)/\(key)"] = object }
  }

  fileprivate func converse(_ guest: Guest) async throws {
    let number = state.withLock { state in
      state.connections.all += 1
      state.connections.open += 1
      state.connections.peak = max(state.connections.peak, state.connections.open)
      return state.connections.all
    }
    defer { state.withLock { $0.connections.open -= 1 } }
    let visitor = Visitor(guest)
    while let request = try await visitor.nextHead() {
      guard try await treat(request, of: visitor, number) else { return }
    }
  }

  /// - Returns: whether the connection stays open.
  private func treat(_ request: Request, of visitor: Visitor, _ number: Int) async throws -> Bool {
    let connection = visitor.connection
    let (index, fault) = note(request, on: number)
    var speed: Int?
    switch fault {
    case .refusesEarly(let refusal):
      try await send(refusal.answer, to: request, index, connection)
      await connection.waitForClose()
      return false
    case .hangsInBody(let count):
      _ = try await visitor.body(of: request, limit: count)
      await connection.waitForClose()
      return false
    case .resetsInBody(let count):
      _ = try await visitor.body(of: request, limit: count)
      try await connection.reset()
      return false
    case .readsSlowly(let bytes): speed = bytes
    default: break
    }
    guard let body = try await visitor.body(of: request, speed: speed) else { return false }
    state.withLock { $0.questions[index].bodyCount = body.count }
    switch fault {
    case .refuses(let refusal):
      try await send(refusal.answer, to: request, index, connection)
      return true
    case .answers(let answer):
      try await send(answer, to: request, index, connection)
      return true
    case .hangs:
      await connection.waitForClose()
      return false
    case .waits(let latch): try await latch.pass()
    case .isLate(let delay): try await Task.sleep(for: delay)
    default: break
    }
    let answer = answer(to: request, body)
    switch fault {
    case .hangsInAnswer:
      try await connection.send(half(of: answer, to: request))
      await connection.waitForClose()
      return false
    case .cutsAnswer:
      try await connection.send(half(of: answer, to: request))
      try await connection.closeAbruptly()
      return false
    case .resets:
      try await connection.reset()
      return false
    default:
      try await send(answer, to: request, index, connection)
      return true
    }
  }

  /// - Returns: the question's place in `questions`, and the fault that it meets.
  private func note(_ request: Request, on number: Int) -> (Int, S3Fault?) {
    state.withLock { state in
      let place = Self.place(of: request, state.settings)
      state.questions.append(
        Question(request: request, bucket: place.bucket, key: place.key, connection: number))
      guard let index = state.faults.firstIndex(where: { $0.meets(request.method) }) else {
        return (state.questions.count - 1, nil)
      }
      if let remaining = state.faults[index].remaining { state.faults[index].remaining = remaining - 1 }
      return (state.questions.count - 1, state.faults[index].fault)
    }
  }

  private func send(
    _ answer: ServiceAnswer, to request: Request, _ index: Int, _ connection: Connection
  ) async throws {
    let time = state.withLock { state in
      state.questions[index].status = answer.status
      return ServiceClock.now + state.settings.clockOffset
    }
    try await connection.send(answer.bytes(to: request.method, at: time))
  }

  private func half(of answer: ServiceAnswer, to request: Request) -> [UInt8] {
    let bytes = answer.bytes(to: request.method, at: ServiceClock.now)
    return Array(bytes.prefix(bytes.count / 2))
  }
}

/// Runs `body` with an object store on a free port of `host`, then stops it.
/// - Throws: the errors of `body`, or an error from NIO if the address cannot be bound.
package func withS3Server<Result: Sendable>(
  on host: String = "127.0.0.1", tls: TLSServerContext? = nil, _ body: (S3Server) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: host, port: 0, tls: tls)
  let server = S3Server(on: listener, scheme: tls == nil ? "http" : "https")
  return try await listener.accept(server.converse) { try await body(server) }
}
