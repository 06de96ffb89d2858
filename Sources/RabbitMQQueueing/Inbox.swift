internal import CRabbitMQ
internal import Queueing

/// The messages that have arrived for the taking channel, and the replies it still waits for.
struct Inbox {
  /// When `arrived` holds this many bytes, later messages go to `excess`. Four batches: messages may be
  /// longer than expected, and going back counts as a hand-out.
  static let maximumSize = 4 * MessageLimits.maximumBatchSize

  /// Messages that no caller has taken yet, in order.
  private(set) var arrived: [AMQPDelivery] = []
  /// In bytes.
  private(set) var arrivedSize = 0
  /// Whether there is a limit to `arrived`: a worker has to stay within its memory.
  var isLimited = false
  /// Tags of later messages that are to go back, in order. If short messages are followed by long ones, the
  /// broker sends more of them at once than the memory has room for.
  private var excess: [UInt64] = []
  /// Tags of all deliveries that have arrived and are neither acknowledged nor given back.
  var unsettled: Set<UInt64> = []
  /// Those of them whose results are being published.
  private(set) var publishing: Set<UInt64> = []
  /// Those of them that lasting subscriptions have brought.
  var subscribed: Set<UInt64> = []
  /// How many replies are outstanding, each to a get or to the cancellation of a subscription.
  private(set) var outstandingReplies = 0
  /// When the last of these replies arrived or was requested.
  private(set) var lastReply = ContinuousClock.now
  /// How many replies are outstanding that only prove that all earlier methods are done.
  var pendingBarriers = 0
  /// Whether a get has found the queue empty, because others took the last messages.
  var hasFoundNone = false
  /// The expected size of a message in bytes. Long messages are requested in smaller batches.
  private(set) var expectedSize = MessageLimits.maximumBatchSize / 4

  /// Whether the reply to a method that is sent now would arrive after late messages.
  var awaitsReplies: Bool { outstandingReplies > 0 || pendingBarriers > 0 }
  /// Tags of the deliveries that callers have. The others are lost if the queue is deleted.
  var handedOut: Set<UInt64> { unsettled.subtracting(arrived.map(\.tag)).subtracting(excess) }
  var hasExcess: Bool { !excess.isEmpty }
  /// How many messages no caller has taken yet, including those that are to go back.
  var untakenCount: Int { arrived.count + excess.count }

  mutating func expectReplies(_ count: Int) {
    outstandingReplies += count
    lastReply = .now
  }

  /// Keeps a message, or notes that an outstanding reply has come. Returns false for any other event.
  mutating func keep(_ event: AMQPEvent) -> Bool {
    switch event {
    case .delivered(let delivery):
      unsettled.insert(delivery.tag)
      // Nothing overtakes a message that goes back.
      if isLimited, hasExcess || arrivedSize >= Self.maximumSize {
        excess.append(delivery.tag)
      } else {
        arrived.append(delivery)
        arrivedSize += delivery.message.size
      }
      expectedSize = max(delivery.message.size, expectedSize - expectedSize / 8)
      if delivery.isFromGet { noteReply() } else { subscribed.insert(delivery.tag) }
    case .empty:
      hasFoundNone = true
      noteReply()
    case .done(AMQP_BASIC_CANCEL_OK_METHOD): noteReply()
    case .done(AMQP_BASIC_QOS_OK_METHOD) where pendingBarriers > 0: pendingBarriers -= 1
    default: return false
    }
    return true
  }

  private mutating func noteReply() {
    outstandingReplies = max(0, outstandingReplies - 1)
    lastReply = .now
  }

  /// Notes that the result of a delivery is being published, unless its queue was deleted.
  mutating func publish(_ tag: UInt64) {
    if unsettled.contains(tag) { publishing.insert(tag) }
  }

  /// Forgets deliveries that are acknowledged or given back.
  mutating func settle(_ tags: some Collection<UInt64>) {
    unsettled.subtract(tags)
    subscribed.subtract(tags)
    publishing.subtract(tags)
  }

  mutating func takeArrived(_ limit: Int) -> [AMQPDelivery] {
    let taken = Array(arrived.prefix(limit))
    arrived.removeFirst(taken.count)
    arrivedSize -= taken.reduce(0) { $0 + $1.message.size }
    return taken
  }

  mutating func takeExcess() -> [UInt64] {
    defer { excess = [] }
    return excess
  }
}
