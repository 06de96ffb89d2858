internal import CRabbitMQ
internal import Queueing

/// A connection, and what arrives on it. Messages may arrive while a caller waits for the reply to a method: they go
/// into the inbox. A class because both channels read from it, one at a time.
final class ReplyQueue {
  /// How long the broker may take to reply.
  static let timeout = Duration.seconds(30)

  var connection: AMQPConnection
  var inbox = Inbox()
  /// Why the broker takes nothing now; nil while it does.
  private(set) var blocked: String?
  /// Whether the broker has said that the queue, or its virtual host, was deleted.
  private(set) var hasLostQueue = false
  /// Perhaps because the queue was deleted.
  private(set) var hasEndedSubscription = false
  /// Channels above those of taking and publishing are for one declaration each.
  var lastChannel: amqp_channel_t = 2
  /// As that of `Queues`.
  private let tell: @Sendable (String) -> Void

  init(on connection: consuming AMQPConnection, tell: @escaping @Sendable (String) -> Void) {
    self.connection = connection
    self.tell = tell
  }

  var server: RabbitMQURL.Server { connection.server }

  func open(_ channel: amqp_channel_t) throws(QueueError) {
    unsafe try connection.send(AMQP_CHANNEL_OPEN_METHOD, amqp_channel_open_t(), on: channel)
    try wait(for: AMQP_CHANNEL_OPEN_OK_METHOD)
  }

  /// Reads what has arrived, and sends a heartbeat when one is due.
  func service() throws(QueueError) {
    while let event = try next(until: .now) { throw unexpected(event) }
  }

  /// The next reply; nil if none arrives until `end`.
  func next(until end: ContinuousClock.Instant) throws(QueueError) -> AMQPEvent? {
    while let event = try connection.next(until: end) {
      if !keep(event) { return event }
    }
    return nil
  }

  /// Waits for a message, or another event that is no reply. Returns whether it has arrived before `end`.
  func keepNext(until end: ContinuousClock.Instant) throws(QueueError) -> Bool {
    guard let event = try connection.next(until: end) else { return false }
    guard keep(event) else { throw unexpected(event) }
    return true
  }

  /// Returns false for a reply that a caller waits for.
  private func keep(_ event: AMQPEvent) -> Bool {
    guard case .blocked(let reason) = event else { return inbox.keep(event) }
    // At once: a caller that waits for confirmations may wait for long.
    tell(reason.map { "\(server.name) takes nothing now: \($0)" } ?? "\(server.name) takes messages again")
    blocked = reason
    return true
  }

  func reply() throws(QueueError) -> AMQPEvent {
    guard let event = try next(until: .now + Self.timeout) else { throw timeoutError }
    return event
  }

  var timeoutError: QueueError {
    let reason = blocked.map { ": it takes nothing now: \($0)" } ?? ""
    return server.unavailable("has not answered for \(Self.timeout.components.seconds) s\(reason)")
  }

  func wait(for method: amqp_method_number_t) throws(QueueError) {
    let event = try reply()
    guard case .done(method) = event else { throw unexpected(event) }
  }

  func unexpected(_ event: AMQPEvent) -> QueueError {
    switch event {
    case .closed(AMQP_NOT_FOUND, let text):
      // rabbit_amqqueue.erl, `not_found`: a queue whose node is down has another text.
      if text.amqpDetail.hasPrefix("no queue ") { hasLostQueue = true }
      // The next session may create again what was there at the start.
      return server.unavailable("refuses: \(text.amqpDetail)")
    case .done(AMQP_BASIC_CANCEL_METHOD):
      hasEndedSubscription = true
      return server.unavailable("has ended a subscription: the queue is gone, or has moved")
    case .closed(let code, let text), .ended(let code, let text):
      // When a virtual host is deleted, half of the connections are told that it is down
      // (rabbit_connection_tracking.erl). If it has crashed, deliveries that were out may be done twice.
      if code == AMQP_CONNECTION_FORCED, text.amqpDetail.hasPrefix("vhost ") { hasLostQueue = true }
      return QueueError(closed: code, text, by: server)
    default: return server.unavailable("does not follow its protocol: it sent \(event)")
    }
  }
}
