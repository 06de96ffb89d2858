internal import CRabbitMQ
internal import Queueing

/// One connection from its beginning to its end, with a channel to take from a queue and one to publish on. What is out on it comes
/// back into the queue when it ends. Used by one thread at a time; of no use after `QueueError.unavailable`.
struct AMQPSession: ~Copyable {
  static let takingChannel: amqp_channel_t = 1
  static let publishingChannel: amqp_channel_t = 2
  /// For the broker to answer.
  static let patience = Duration.seconds(30)

  /// No other session has it.
  let id = UInt64.random(in: 0...UInt64.max)
  var connection: AMQPConnection
  /// Messages that have come and were not handed out yet, in their order.
  var arrived: [AMQPDelivery] = []
  /// Answers of the broker that are to come, each to a get or to the end of a subscription; and the last time that one came, or was asked for.
  var asked = 0
  var lastAnswer = ContinuousClock.now
  /// How often the broker is still to say that it has done what came before.
  var unheard = 0
  /// Whether what is asked for now is answered behind what is late.
  var isBehind: Bool { asked > 0 || unheard > 0 }
  /// Whether somebody else has taken the last of the messages, since this was set to false.
  var hasFoundNone = false
  /// Bytes of a message, as those that came last were: of as many as they are, few are asked for at once.
  var expectedSize = QueueBatch.maximumSize / 4
  /// What the broker will have settled, by the channel's own numbers.
  var unsettled: Set<UInt64> = []
  /// Messages published so far: how the broker numbers them.
  var publishedCount: UInt64 = 0
  /// Subscriptions so far, by which they are told apart.
  var subscriptionCount = 0
  /// Whether the queue has handed out messages one by one, and since then all that a subscription asked for.
  var hasTakenOneByOne = false
  /// Whether the queue stays when a subscription ends; nil while nobody has asked.
  var outlivesConsumers: Bool?
  /// Who counts how often a message of the queue was handed out; nil while nobody has asked.
  var counting: Counting?
  /// What a missing queue is made as.
  var queueType = RabbitMQURL.QueueType.quorum
  /// Why the broker takes nothing now; nil while it does.
  private(set) var blocked: String?
  /// Whether what the URL names may have changed behind the session, so that it has to be looked for anew.
  var isStale = false

  /// Told what nobody has asked for, and people have to know.
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

  /// Reads what has come and was not asked for, and lets the broker see that somebody is there.
  mutating func breathe() throws(QueueError) {
    while let event = try next(until: .now) { throw unexpected(event) }
  }

  /// The next answer; nil if none comes until `end`. Messages that come before it are kept.
  mutating func next(until end: ContinuousClock.Instant) throws(QueueError) -> AMQPEvent? {
    while let event = try connection.next(until: end) {
      if !keep(event) { return event }
    }
    return nil
  }

  /// Waits for something that may come at any time.
  /// - Returns: whether it has come before `end`.
  mutating func keepNext(until end: ContinuousClock.Instant) throws(QueueError) -> Bool {
    guard let event = try connection.next(until: end) else { return false }
    guard keep(event) else { throw unexpected(event) }
    return true
  }

  /// - Returns: whether it is nothing that somebody waits for by its kind.
  private mutating func keep(_ event: AMQPEvent) -> Bool {
    switch event {
    case .blocked(let reason):
      // At once: whoever waits for the answer to what is on its way does so for long.
      tell(reason.map { "\(server.name) takes nothing now: \($0)" } ?? "\(server.name) takes messages again")
      blocked = reason
    case .done(AMQP_BASIC_QOS_OK_METHOD) where unheard > 0: unheard -= 1
    case .done(AMQP_BASIC_CANCEL_OK_METHOD): hear()
    case .empty:
      hasFoundNone = true
      hear()
    case .delivered(let delivery):
      unsettled.insert(delivery.tag)
      arrived.append(delivery)
      expectedSize = max(delivery.message.size, expectedSize - expectedSize / 8)
      if delivery.isAnswer { hear() }
    default: return false
    }
    return true
  }

  private mutating func hear() {
    asked = max(0, asked - 1)
    lastAnswer = .now
  }

  /// The next answer.
  mutating func answer() throws(QueueError) -> AMQPEvent {
    guard let event = try next(until: .now + Self.patience) else { throw silence }
    return event
  }

  var silence: QueueError {
    let reason = blocked.map { ": it takes nothing now: \($0)" } ?? ""
    return .unavailable(
      "\(server.name) has not answered for \(Self.patience.components.seconds) s\(reason)")
  }

  /// Waits until the broker has done what was asked for.
  mutating func wait(for method: amqp_method_number_t) throws(QueueError) {
    let event = try answer()
    guard case .done(method) = event else { throw unexpected(event) }
  }

  func unexpected(_ event: AMQPEvent) -> QueueError {
    // What was there at the start may be made again by the next session.
    if case .closed(AMQP_NOT_FOUND, let text) = event {
      return .unavailable("\(server.name) refuses: \(text.amqpDetail)")
    }
    if case .done(AMQP_BASIC_CANCEL_METHOD) = event {
      return .unavailable("\(server.name) has ended a subscription: the queue is gone, or has moved")
    }
    if case .closed(let code, let text) = event { return QueueError(closed: code, text, by: server) }
    return .unavailable("\(server.name) does not follow its protocol: it sent \(event)")
  }
}
