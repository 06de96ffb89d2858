internal import Queueing

/// A session that is replaced when it breaks.
struct ReconnectingSession: ~Copyable {
  private let url: RabbitMQURL
  private let queues: Queues
  private var session: AMQPSession?
  /// The orphans of the session. They outlive it.
  private var orphans: Set<RabbitMQReceipt> = []
  /// Why there is no session, and when the next attempt may start.
  private var outage: (reason: QueueError, end: ContinuousClock.Instant)?
  private var backoff = Backoff()

  init(_ url: RabbitMQURL, in queues: Queues, connects: Bool) throws(QueueError) {
    (self.url, self.queues) = (url, queues)
    if connects { session = try AMQPSession(url, in: queues) }
  }

  /// Runs `body` with the session, or with a new one if there is none. An error ends the session.
  mutating func use<Value>(_ body: RabbitMQClient.Use<Value>) throws(QueueError) -> Value {
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

  /// Like `use`, but does not connect: returns nil if there is no session.
  mutating func useCurrent<Value>(_ body: RabbitMQClient.Use<Value>) throws(QueueError) -> Value? {
    session == nil ? nil : try use(body)
  }

  /// Tries to connect once. Fails at once until the pause of `backoff` is over.
  private mutating func reconnect() throws(QueueError) -> AMQPSession {
    if let outage, ContinuousClock.now < outage.end { throw outage.reason }
    do throws(QueueError) {
      let session = try AMQPSession(url, in: queues)
      (outage, backoff) = (nil, Backoff())
      return session
    } catch {
      // Even a refusal is worth another try: a broker that is starting up may refuse at first.
      let reason = QueueError.unavailable("\(error)")
      outage = (reason, .now + backoff.next())
      throw reason
    }
  }
}
