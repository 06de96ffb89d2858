internal import Queueing

/// A session, and another one when it is broken.
struct ReconnectingSession: ~Copyable {
  private let url: RabbitMQURL
  private let certificateFile: String?
  private let tell: @Sendable (String) -> Void
  private var session: AMQPSession?
  /// As those of the session, which they outlive.
  private var orphans: Set<RabbitMQReceipt> = []
  /// Why there is no session, and when it may be tried again.
  private var outage: (reason: QueueError, end: ContinuousClock.Instant)?
  private var backoff = Backoff()

  /// - Parameter connects: whether to connect now, which blocks; otherwise at first use.
  init(
    _ url: RabbitMQURL, certificateFile: String?, connects: Bool, tell: @escaping @Sendable (String) -> Void
  ) throws(QueueError) {
    self.url = url
    self.certificateFile = certificateFile
    self.tell = tell
    if connects { session = try Self.connect(url, certificateFile, tell) }
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

  /// Does something with the session, or with a new one. An error ends the session.
  mutating func use<Value>(
    _ body: (inout AMQPSession) throws(QueueError) -> Value
  ) throws(QueueError) -> Value {
    var session = try takeSession()
    session.orphans = orphans
    do throws(QueueError) {
      let value = try body(&session)
      orphans = session.orphans
      if !session.isStale { self.session = consume session }
      return value
    } catch {
      orphans = session.orphans
      throw error
    }
  }

  /// Reads what has arrived, and sends heartbeats.
  mutating func serviceConnection() {
    guard session != nil else { return }
    try? use { (session) throws(QueueError) in try session.serviceConnection() }
  }

  private mutating func takeSession() throws(QueueError) -> AMQPSession {
    if let session = session.take() { return session }
    return try reconnect()
  }

  /// Tries once, and not before the pause of `backoff` is over.
  private mutating func reconnect() throws(QueueError) -> AMQPSession {
    if let outage, ContinuousClock.now < outage.end { throw outage.reason }
    do throws(QueueError) {
      let session = try Self.connect(url, certificateFile, tell)
      outage = nil
      backoff = Backoff()
      return session
    } catch {
      // Worth another try even where it is a refusal: a broker that starts up refuses what it grants later.
      let reason = QueueError.unavailable("\(error)")
      outage = (reason, .now + backoff.next())
      throw reason
    }
  }
}
