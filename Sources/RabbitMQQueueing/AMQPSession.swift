internal import CRabbitMQ
internal import Queueing

/// One connection from login to its end, with one channel to take from a queue and another to publish.
/// Deliveries that are out return to the queue when it ends. Used by one thread at a time; of no use after
/// `QueueError.unavailable`.
struct AMQPSession: ~Copyable {
  static let takingChannel: amqp_channel_t = 1
  static let publishingChannel: amqp_channel_t = 2
  /// How long the broker may take to reply.
  static let replyTimeout = Duration.seconds(30)

  /// Unique.
  let id = UInt64.random(in: 0...UInt64.max)
  var connection: AMQPConnection

  /// What is on its way in.
  var intake = Intake()
  /// Deliveries that are out, by their tags on the taking channel.
  var unsettled: Set<UInt64> = []
  /// Deliveries whose queue was deleted while they were out, or its virtual host, on this session or an
  /// earlier one: nobody else can have them.
  var orphans: Set<RabbitMQReceipt> = []
  /// Who counts how often a message of the queue was handed out; nil until somebody has asked.
  var counting: Counting?
  /// The queue of the URL; nil where that names an exchange only.
  var queue: String?
  /// The type with which a missing queue is made.
  var queueType = RabbitMQURL.QueueType.quorum

  /// Messages published so far, which is how the broker numbers them.
  var publishedCount: UInt64 = 0
  /// Why the broker takes nothing now; nil while it does.
  private(set) var blocked: String?
  /// Whether the queue or exchange of the URL may have changed, so that the next use needs a new session.
  var isStale = false

  /// Told what the broker announces and operators have to know.
  private let tell: @Sendable (String) -> Void

  init(on connection: consuming AMQPConnection, tell: @escaping @Sendable (String) -> Void) {
    self.connection = connection
    self.tell = tell
  }

  /// Opens the channels.
  mutating func begin() throws(QueueError) {
    for channel in [Self.takingChannel, Self.publishingChannel] { try open(channel) }
    try connection.send(AMQP_CONFIRM_SELECT_METHOD, amqp_confirm_select_t(), on: Self.publishingChannel)
    try wait(for: AMQP_CONFIRM_SELECT_OK_METHOD)
  }

  var server: RabbitMQURL.Server { connection.server }

  mutating func open(_ channel: amqp_channel_t) throws(QueueError) {
    unsafe try connection.send(AMQP_CHANNEL_OPEN_METHOD, amqp_channel_open_t(), on: channel)
    try wait(for: AMQP_CHANNEL_OPEN_OK_METHOD)
  }

  /// Reads what has arrived, and sends a heartbeat where one is due.
  mutating func serviceConnection() throws(QueueError) {
    while let event = try next(until: .now) { throw unexpected(event) }
  }

  /// The next reply; nil if none arrives until `end`. Messages that arrive before it are kept.
  mutating func next(until end: ContinuousClock.Instant) throws(QueueError) -> AMQPEvent? {
    while let event = try connection.next(until: end) {
      if !keep(event) { return event }
    }
    return nil
  }

  /// Waits for a message, or another event that is not a reply to a method.
  /// - Returns: whether it has arrived before `end`.
  mutating func keepNext(until end: ContinuousClock.Instant) throws(QueueError) -> Bool {
    guard let event = try connection.next(until: end) else { return false }
    guard keep(event) else { throw unexpected(event) }
    return true
  }

  /// - Returns: false for a reply that a caller waits for.
  private mutating func keep(_ event: AMQPEvent) -> Bool {
    switch event {
    case .blocked(let reason):
      // At once: a caller that waits for confirmations may wait for long.
      tell(reason.map { "\(server.name) takes nothing now: \($0)" } ?? "\(server.name) takes messages again")
      blocked = reason
    case .done(AMQP_BASIC_QOS_OK_METHOD) where intake.pendingBarriers > 0: intake.pendingBarriers -= 1
    case .done(AMQP_BASIC_CANCEL_OK_METHOD): intake.noteReply()
    case .empty: intake.noteEmpty()
    case .delivered(let delivery):
      unsettled.insert(delivery.tag)
      intake.keep(delivery)
    default: return false
    }
    return true
  }

  /// The next reply.
  mutating func reply() throws(QueueError) -> AMQPEvent {
    guard let event = try next(until: .now + Self.replyTimeout) else { throw replyTimeoutError }
    return event
  }

  var replyTimeoutError: QueueError {
    let reason = blocked.map { ": it takes nothing now: \($0)" } ?? ""
    return .unavailable(
      "\(server.name) has not answered for \(Self.replyTimeout.components.seconds) s\(reason)")
  }

  /// Waits until the broker has done what was asked for.
  mutating func wait(for method: amqp_method_number_t) throws(QueueError) {
    let event = try reply()
    guard case .done(method) = event else { throw unexpected(event) }
  }

  mutating func unexpected(_ event: AMQPEvent) -> QueueError {
    // The next session may create again what was there at the start.
    if case .closed(AMQP_NOT_FOUND, let text) = event {
      // rabbit_amqqueue.erl, `not_found`: one whose node is down has another text.
      if text.amqpDetail.hasPrefix("no queue ") { orphans.formUnion(handedOut) }
      return .unavailable("\(server.name) refuses: \(text.amqpDetail)")
    }
    if case .done(AMQP_BASIC_CANCEL_METHOD) = event {
      // Fails where the queue is gone, and says so.
      if let queue { _ = try? count(of: queue) }
      return .unavailable("\(server.name) has ended a subscription: the queue is gone, or has moved")
    }
    if case .ended(let code, let text) = event {
      // rabbit_connection_tracking.erl, `vhost_deleted` and `vhost_down`: of one that is deleted, half of the
      // connections are told that it is down. What is out when it has crashed may be done twice.
      if code == AMQP_CONNECTION_FORCED, text.amqpDetail.hasPrefix("vhost ") { orphans.formUnion(handedOut) }
      return QueueError(closed: code, text, by: server)
    }
    if case .closed(let code, let text) = event { return QueueError(closed: code, text, by: server) }
    return .unavailable("\(server.name) does not follow its protocol: it sent \(event)")
  }

  /// What is out. What has arrived only is lost with its queue, as what was still in it.
  private var handedOut: Set<RabbitMQReceipt> {
    Set(unsettled.subtracting(intake.arrived.map(\.tag)).map { RabbitMQReceipt(session: id, tag: $0) })
  }
}
