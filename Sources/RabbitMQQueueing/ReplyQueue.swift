internal import CRabbitMQ
internal import Queueing

/// A connection, and the inbox for its messages. Messages may arrive while a caller waits for the
/// reply to a method. This is a class because both channels read from it, one at a time.
final class ReplyQueue {
  /// How long the broker may take to reply.
  static let timeout = Duration.seconds(30)

  var connection: AMQPConnection
  var inbox = Inbox()
  /// Why the broker accepts no messages. Nil while it accepts them.
  private(set) var blocked: String?
  /// Whether the broker has said that the queue, or its virtual host, was deleted.
  private(set) var hasLostQueue = false
  /// Whether the broker has ended a subscription, perhaps because the queue was deleted.
  private(set) var hasEndedSubscription = false
  /// Channels above 2 are for one declaration each. Those below are for taking and publishing.
  var lastChannel: amqp_channel_t = 2
  /// See `Queues.tell`.
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

  /// Returns the next reply, or nil if none arrives by `end`.
  func next(until end: ContinuousClock.Instant) throws(QueueError) -> AMQPEvent? {
    while let event = try connection.next(until: end) {
      if !keep(event) { return event }
    }
    return nil
  }

  /// Waits for a message or another event that is no reply. Returns whether it arrived by `end`.
  func keepNext(until end: ContinuousClock.Instant) throws(QueueError) -> Bool {
    guard let event = try connection.next(until: end) else { return false }
    guard keep(event) else { throw unexpected(event) }
    return true
  }

  /// Returns false for a reply that a caller waits for.
  private func keep(_ event: AMQPEvent) -> Bool {
    guard case .blocked(let reason) = event else { return inbox.keep(event) }
    // Tells it at once: a caller may wait long for its confirmations.
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
      // If the node of a queue is down, the text differs (rabbit_amqqueue.erl, `not_found`).
      if text.amqpDetail.hasPrefix("no queue ") { hasLostQueue = true }
      // Not `refused`: the next session may recreate what is missing.
      return server.unavailable("refuses: \(text.amqpDetail)")
    case .done(AMQP_BASIC_CANCEL_METHOD):
      hasEndedSubscription = true
      return server.unavailable("has ended a subscription: the queue is gone, or has moved")
    case .closed(let code, let text), .ended(let code, let text):
      // When a virtual host is deleted, half of the connections hear that it is down
      // (rabbit_connection_tracking.erl). If it has crashed, deliveries may be processed twice.
      if code == AMQP_CONNECTION_FORCED, text.amqpDetail.hasPrefix("vhost ") { hasLostQueue = true }
      return QueueError(closed: code, text, by: server)
    default: return server.unavailable("does not follow its protocol: it sent \(event)")
    }
  }
}
