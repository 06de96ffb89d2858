internal import CRabbitMQ
internal import Queueing

/// The channel that takes, acknowledges and gives back messages. Only a worker has lasting
/// subscriptions, because it works on all that they bring. For others, messages on their way at the
/// end would count as if a worker had died with them.
struct TakingChannel {
  static let number: amqp_channel_t = 1
  /// How many messages are requested or given back at once.
  static let windowLength = 32
  /// A subscription is worth its cost from this many messages on.
  static let leastBulk = 4
  /// A queue that holds this many times the wanted number has enough for others, too.
  private static let abundance = 8
  /// How long a worker waits for its messages to be settled, to begin a lasting subscription.
  private static let settlingTime = Duration.milliseconds(50)
  /// How long an arrived message waits for the next ones. Its deadline is running meanwhile.
  static let moment = Duration.milliseconds(250)

  /// The lasting subscriptions. They are the last ones that have begun.
  struct Lasting {
    var count = 0
    /// How many messages may be on lease through them at once.
    var covered = 0
  }

  let replies: ReplyQueue
  let queue: String
  /// The type of the queue if it has to be created.
  let queueType: RabbitMQURL.QueueType
  var subscriptionCount = 0
  var lasting = Lasting()
  /// Since when a worker has asked for messages and got none.
  var emptySince: ContinuousClock.Instant?
  /// Whether gets have brought messages, and no subscription has fallen short since.
  var hasTakenOneByOne = false
  /// Nil until it is needed.
  var difference: QueueDifference?
  /// Whether the caller goes through the queue to its end. A worker takes what it has places for.
  var takesAll = false
  /// How many acknowledgments the queue may not have carried out yet.
  var openAcknowledgments = 0

  init(on replies: ReplyQueue, to queue: String, of queueType: RabbitMQURL.QueueType) throws(QueueError) {
    (self.replies, self.queue, self.queueType) = (replies, queue, queueType)
    try replies.open(Self.number)
  }

  func send(_ method: amqp_method_number_t, _ arguments: some BitwiseCopyable) throws(QueueError) {
    try replies.connection.send(method, arguments, on: Self.number)
  }

  /// Takes the messages that are in the queue now, oldest first: `limit`, or fewer long ones.
  /// - Parameters:
  ///   - waits: whether to wait for all of them. Otherwise the next call returns late ones.
  ///   - most: how many messages may be on lease even if fewer are asked for. Nil for no more than `limit`.
  mutating func take(_ limit: Int, waits: Bool, upTo most: Int? = nil) throws(QueueError) -> [AMQPDelivery] {
    guard limit > 0 else { return [] }
    try giveBackExcess()
    if most == nil || isCoveringTooMuch { try endSubscriptions() }
    if let most, lasting.count > 0 {
      let taken = try takeSubscribed(limit, upTo: most)
      if !taken.isEmpty || lasting.count > 0 { return taken }
    }
    if replies.inbox.arrived.isEmpty { try hearAll(waits: waits) }
    if replies.inbox.arrived.isEmpty, replies.inbox.outstandingReplies == 0 {
      try ask(for: limit, waits: waits, upTo: most)
    }
    return replies.inbox.takeArrived(limit)
  }

  private mutating func ask(for limit: Int, waits: Bool, upTo most: Int?) throws(QueueError) {
    // Counting is free for a quorum queue. A get that finds nothing costs a disk write.
    let waiting = try count()
    let bulk = min(limit, affordable(in: MessageLimits.maximumBatchSize), Int(UInt16.max))
    if waiting / Self.abundance >= limit, hasTakenOneByOne, try findDifference().outlivesConsumers {
      // A lasting one would leave places empty if messages are so long that it may bring only a few.
      if let most, waiting / Self.abundance >= most,
        affordable(in: MessageLimits.maximumBatchSize) >= most / 2,
        try extendSubscriptions(to: most) || !isOverdue(after: Self.settlingTime)
      {
        return
      }
      emptySince = nil
      if bulk >= Self.leastBulk { return try subscribe(for: bulk, waits: waits) }
    }
    // If the queue seems empty, one get confirms it. After that, the count is enough until messages come again.
    let isSure = !takesAll || replies.inbox.hasFoundNone
    try get(min(limit, isSure ? waiting : max(1, waiting)), waits: waits)
    if !replies.inbox.arrived.isEmpty { hasTakenOneByOne = true }
  }

  func affordable(in room: Int) -> Int { max(1, room / max(1, replies.inbox.expectedSize)) }

  /// Takes up to `count` messages one by one. Stops early if the queue runs out or they are long. The
  /// last reply proves that the queue has carried out all acknowledgments before it, except what RabbitMQ keeps
  /// back (`maximumOpen`).
  mutating func get(_ count: Int, waits: Bool) throws(QueueError) {
    guard count > 0 else { return }
    let pool = AMQPPool()
    let get = unsafe amqp_basic_get_t(ticket: 0, queue: pool.text(queue), no_ack: 0)
    var rest = count
    replies.inbox.hasFoundNone = false
    while rest > 0, !replies.inbox.hasFoundNone, replies.inbox.outstandingReplies == 0 {
      let room = MessageLimits.maximumBatchSize - replies.inbox.arrivedSize
      guard room > 0 else { return }
      let window = min(rest, Self.windowLength, affordable(in: room))
      rest -= window
      replies.inbox.expectReplies(window)
      for _ in 0..<window { unsafe try send(AMQP_BASIC_GET_METHOD, get) }
      try hearAll(waits: waits)
      if replies.inbox.outstandingReplies == 0 { openAcknowledgments = 0 }
    }
  }

  /// Waits for outstanding replies.
  /// - Parameter waits: whether to wait for all, even if messages that have arrived are held up.
  func hearAll(waits: Bool) throws(QueueError) {
    let start = ContinuousClock.now
    while replies.inbox.outstandingReplies > 0 {
      let limit = replies.inbox.lastReply + ReplyQueue.timeout
      let end = waits ? limit : (replies.inbox.arrived.first?.arrival ?? start) + Self.moment
      if try replies.keepNext(until: end) { continue }
      if ContinuousClock.now >= limit { throw replies.timeoutError }
      return
    }
  }

  /// Returns how many messages of the queue are not handed out. RabbitMQ also answers 0 if a quorum queue is busy
  /// for 250 ms (rabbit_quorum_queue.erl, `stat`). A get waits for the queue.
  func count() throws(QueueError) -> Int {
    let pool = AMQPPool()
    unsafe try send(AMQP_QUEUE_DECLARE_METHOD, amqp_queue_declare_t(queue, as: nil, in: pool))
    let event = try replies.reply()
    guard case .counted(let count) = event else { throw replies.unexpected(event) }
    return count
  }

  /// Does the same, but if the queue seems empty, counts again after a get. A message that the get has brought
  /// counts as handed out.
  mutating func certainCount() throws(QueueError) -> Int {
    let count = try count()
    if count > 0 { return count }
    try get(1, waits: true)
    return replies.inbox.arrived.isEmpty ? 0 : try self.count()
  }
}
