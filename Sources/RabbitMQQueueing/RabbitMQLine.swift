internal import Queueing

/// A session, and what comes between two of them.
struct RabbitMQLine: ~Copyable {
  private let url: RabbitMQURL
  private let certificateFile: String?
  private let tell: @Sendable (String) -> Void
  private var session: AMQPSession?
  /// Why there is none, and until when it is of no use to try for another.
  private var outage: (reason: QueueError, end: ContinuousClock.Instant)?
  private var pause = Duration.milliseconds(100)

  /// Connects. Blocks.
  init(
    _ url: RabbitMQURL, certificateFile: String?, tell: @escaping @Sendable (String) -> Void
  ) throws(QueueError) {
    self.url = url
    self.certificateFile = certificateFile
    self.tell = tell
    session = try Self.connect(url, certificateFile, tell)
  }

  private static func connect(
    _ url: RabbitMQURL, _ certificateFile: String?, _ tell: @escaping @Sendable (String) -> Void
  ) throws(QueueError) -> AMQPSession {
    var session = AMQPSession(
      on: try AMQPConnection(to: url.server, certificateFile: certificateFile), tell: tell)
    try session.begin()
    try session.prepare(url)
    return session
  }

  /// Does something with the session, or with a new one. A session ends with an error.
  mutating func use<Value>(
    _ body: (inout AMQPSession) throws(QueueError) -> Value
  ) throws(QueueError) -> Value {
    var session = try takeSession()
    let value = try body(&session)
    if !session.isStale { self.session = consume session }
    return value
  }

  /// Reads what has come unasked.
  mutating func breathe() {
    guard var session = session.take() else { return }
    guard (try? session.breathe()) != nil else { return }
    self.session = consume session
  }

  private mutating func takeSession() throws(QueueError) -> AMQPSession {
    if let session = session.take() { return session }
    return try reconnect()
  }

  /// Tries once, and not before a pause is over: 0.1 s at first, doubled each time, 5 s at most, half of it at random.
  private mutating func reconnect() throws(QueueError) -> AMQPSession {
    if let outage, ContinuousClock.now < outage.end { throw outage.reason }
    do throws(QueueError) {
      let session = try Self.connect(url, certificateFile, tell)
      outage = nil
      pause = .milliseconds(100)
      return session
    } catch {
      // It was let in before. A broker that is about to start refuses what it does not refuse later.
      let reason = QueueError.unavailable("\(error)")
      outage = (reason, .now + pause * Double.random(in: 0.5...1))
      pause = min(pause * 2, .seconds(5))
      throw reason
    }
  }
}
