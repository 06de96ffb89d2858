internal import Queueing

extension AMQPSession {
  /// Messages that were requested, and what is known of the queue that they come from.
  struct Intake {
    /// Messages that have arrived and were not handed out yet, in their order.
    private(set) var arrived: [AMQPDelivery] = []
    /// Outstanding replies of the broker, each to a get or to the end of a subscription.
    var outstandingReplies = 0
    /// When the last of these arrived, or was requested.
    var lastReply = ContinuousClock.now
    /// Methods sent only for their reply, which is still outstanding: the broker has done then what was sent
    /// before.
    var pendingBarriers = 0
    /// Whether a get found the queue empty since this was set to false: others have taken the last messages.
    var hasFoundNone = false
    /// Estimated message size in bytes, from recent messages: large ones are requested in smaller batches.
    private(set) var expectedSize = MessageLimits.maximumBatchSize / 4
    /// Subscriptions so far; gives each its own name.
    var subscriptionCount = 0
    /// Whether messages can be taken from the queue one by one, and the last subscription brought all it
    /// asked for.
    var hasTakenOneByOne = false
    /// Whether the queue stays when a subscription ends; nil until somebody has asked.
    var outlivesConsumers: Bool?

    /// Whether the reply to a method that is sent now would come behind late messages.
    var awaitsReplies: Bool { outstandingReplies > 0 || pendingBarriers > 0 }

    mutating func keep(_ delivery: AMQPDelivery) {
      arrived.append(delivery)
      expectedSize = max(delivery.message.size, expectedSize - expectedSize / 8)
      if delivery.isFromGet { noteReply() }
    }

    /// The first `limit` of the messages that have arrived.
    mutating func takeArrived(_ limit: Int) -> [AMQPDelivery] {
      defer { arrived.removeFirst(min(limit, arrived.count)) }
      return Array(arrived.prefix(limit))
    }

    /// A get has found nothing.
    mutating func noteEmpty() {
      hasFoundNone = true
      noteReply()
    }

    mutating func noteReply() {
      outstandingReplies = max(0, outstandingReplies - 1)
      lastReply = .now
    }
  }
}
