internal import CRabbitMQ
internal import Queueing

/// What has arrived for the taking channel, and what it still waits for.
struct Inbox {
  /// Messages that have not been handed out yet, in order.
  private(set) var arrived: [AMQPDelivery] = []
  /// Tags of deliveries that are out: all that have arrived, until they are acknowledged or given back.
  var unsettled: Set<UInt64> = []
  /// Outstanding replies of the broker, each to a get or to the end of a subscription.
  private(set) var outstandingReplies = 0
  /// When the last of them arrived, or was requested.
  private(set) var lastReply = ContinuousClock.now
  /// Outstanding replies that only show that all sent before is done.
  var pendingBarriers = 0
  /// Whether a get has found the queue empty, because others have taken the last messages.
  var hasFoundNone = false
  /// In bytes, from recent messages: long ones are requested in smaller batches.
  private(set) var expectedSize = MessageLimits.maximumBatchSize / 4

  /// Whether the reply to a method that is sent now would come behind late messages.
  var awaitsReplies: Bool { outstandingReplies > 0 || pendingBarriers > 0 }
  /// Deliveries that callers have. The others are lost with their queue, like the rest of it.
  var handedOut: Set<UInt64> { unsettled.subtracting(arrived.map(\.tag)) }

  mutating func expectReplies(_ count: Int) {
    outstandingReplies += count
    lastReply = .now
  }

  /// Returns false for an event that is for somebody else.
  mutating func keep(_ event: AMQPEvent) -> Bool {
    switch event {
    case .delivered(let delivery):
      unsettled.insert(delivery.tag)
      arrived.append(delivery)
      expectedSize = max(delivery.message.size, expectedSize - expectedSize / 8)
      if delivery.isFromGet { noteReply() }
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

  mutating func takeArrived(_ limit: Int) -> [AMQPDelivery] {
    defer { arrived.removeFirst(min(limit, arrived.count)) }
    return Array(arrived.prefix(limit))
  }
}
