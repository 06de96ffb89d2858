internal import Queueing

/// One connection, with a channel to take from a queue and another to publish. When it ends, deliveries that are out
/// return to the queue. Of no use after `QueueError.unavailable`.
struct AMQPSession: ~Copyable {
  private let id = UInt64.random(in: 0...UInt64.max)
  let replies: ReplyQueue
  var taking: TakingChannel
  var publishing: PublishingChannel
  /// Deliveries whose queue was deleted while they were out, on any session: nobody else can have them.
  var orphans: Set<RabbitMQReceipt> = []
  /// Whether a release has failed because the queue was deleted.
  private var isOver = false

  /// Connects, and makes sure that the queue and exchange of the URL exist.
  init(_ url: RabbitMQURL, in queues: Queues) throws(QueueError) {
    let connection = try AMQPConnection(to: url.server, certificateFile: queues.certificateFile)
    let replies = ReplyQueue(on: connection, tell: queues.tell)
    let taking = try TakingChannel(on: replies, to: url.queue ?? "", of: url.queueType)
    let publishing = try PublishingChannel(on: replies)
    try replies.prepare(url)
    (self.replies, self.taking, self.publishing) = (replies, taking, publishing)
  }

  /// Whether the next use needs a new session, which makes sure again that they exist.
  var isStale: Bool { isOver || publishing.hasLostRoute }

  /// Deliveries of earlier sessions are back in the queue.
  private func isOut(_ receipt: RabbitMQReceipt) -> Bool {
    receipt.session == id && replies.inbox.unsettled.contains(receipt.tag)
  }

  /// The receipt of a delivery that nobody else can have, or nil.
  func held(_ delivery: Delivery) -> RabbitMQReceipt? {
    RabbitMQReceipt(delivery.receipt).flatMap { isOut($0) || orphans.contains($0) ? $0 : nil }
  }

  /// After a failure: if the broker says that the queue was deleted, nobody has what is out.
  mutating func noteOrphans() {
    // Fails if the queue is gone, and says so.
    if replies.hasEndedSubscription, !replies.hasLostQueue { _ = try? taking.count() }
    guard replies.hasLostQueue else { return }
    orphans.formUnion(replies.inbox.handedOut.map { RabbitMQReceipt(session: id, tag: $0) })
  }

  /// - Parameter sorts: whether the caller sorts or inspects the queue, and must not reorder it by republishing.
  mutating func receive(_ limit: Int, sorts: Bool) throws(QueueError) -> [Delivery] {
    var taken = try taking.counted(taking.take(limit, waits: sorts))
    if !sorts { taken = try republishUncounted(taken) }
    return taken.map { delivery in
      let receipt = RabbitMQReceipt(session: id, tag: delivery.tag).text
      return Delivery(
        message: delivery.message, attempt: delivery.attempt, receipt: receipt, arrival: delivery.arrival)
    }
  }

  /// Gives deliveries back. Returns those whose queue was deleted, to be put into the one that is made again.
  mutating func release(_ receipts: [RabbitMQReceipt]) throws(QueueError) -> Set<RabbitMQReceipt> {
    do throws(QueueError) {
      try replies.service()
      let out = Set(receipts.filter { isOut($0) }.map(\.tag))
      // In the order of their hand-out, which becomes their order in the queue.
      if !out.isEmpty { try taking.giveBack(out.sorted()) }
    } catch {
      noteOrphans()
      guard !orphans.isDisjoint(with: receipts) else { throw error }
      // The next use makes the queue again. The others go back as this session ends.
      isOver = true
    }
    return orphans.intersection(receipts)
  }

  /// If the queue does not count hand-outs, a message would kill one worker after the other. One that came back is
  /// acknowledged, and a copy with the count in a header goes to the end of the queue. Returns the other deliveries.
  private mutating func republishUncounted(_ deliveries: [AMQPDelivery]) throws(QueueError) -> [AMQPDelivery]
  {
    let uncounted = deliveries.filter(\.isUncounted)
    guard !uncounted.isEmpty else { return deliveries }
    let copies = uncounted.map { delivery in
      var message = delivery.message
      message.headers.append(Header(Message.crashHeader, "\(delivery.attempt - 1)"))
      return message
    }
    let results = try publishing.send(copies, to: .queue(taking.queue))
    let renewed = Set(zip(uncounted, results).filter { $1 == .sent }.map(\.0.tag))
    try taking.acknowledge(renewed)
    return deliveries.filter { !renewed.contains($0.tag) }
  }
}
