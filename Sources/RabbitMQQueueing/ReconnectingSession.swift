internal import Queueing

/// A session, and another one when it is broken.
struct ReconnectingSession: ~Copyable {
  private let connect: @Sendable () throws(QueueError) -> AMQPSession
  private var session: AMQPSession?
  /// As those of the session, which they outlive.
  private var orphans: Set<RabbitMQReceipt> = []
  /// Why there is no session, and when it may be tried again.
  private var outage: (reason: QueueError, end: ContinuousClock.Instant)?
  private var backoff = Backoff()

  /// - Parameter connects: whether to connect now, which blocks; otherwise at first use.
  init(
    connects: Bool, _ connect: @escaping @Sendable () throws(QueueError) -> AMQPSession
  ) throws(QueueError) {
    self.connect = connect
    if connects { session = try connect() }
  }

  /// Does something with the session, or with a new one. An error ends the session.
  mutating func use<Value>(
    _ body: (inout AMQPSession) throws(QueueError) -> Value
  ) throws(QueueError) -> Value {
    var session = if let session = session.take() { session } else { try reconnect() }
    session.orphans = orphans
    do throws(QueueError) {
      let value = try body(&session)
      orphans = session.orphans
      if !session.isStale { self.session = consume session }
      return value
    } catch {
      session.noteOrphans()
      orphans = session.orphans
      throw error
    }
  }

  mutating func service() {
    guard session != nil else { return }
    try? use { (session) throws(QueueError) in try session.replies.service() }
  }

  /// Tries once, and not before the pause of `backoff` is over.
  private mutating func reconnect() throws(QueueError) -> AMQPSession {
    if let outage, ContinuousClock.now < outage.end { throw outage.reason }
    do throws(QueueError) {
      let session = try connect()
      (outage, backoff) = (nil, Backoff())
      return session
    } catch {
      // Worth another try even if it is a refusal: a broker that starts up refuses what it grants later.
      let reason = QueueError.unavailable("\(error)")
      outage = (reason, .now + backoff.next())
      throw reason
    }
  }
}
