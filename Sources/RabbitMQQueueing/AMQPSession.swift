internal import Queueing

/// One connection, with one channel to take messages and another to publish them. When it ends, its
/// deliveries return to the queue. Do not use it after `QueueError.unavailable`.
struct AMQPSession: ~Copyable {
  /// How long an arrived message waits until it is given back.
  private static let patience = Duration.seconds(10)

  private let id = UInt64.random(in: 0...UInt64.max)
  let replies: ReplyQueue
  var taking: TakingChannel
  var publishing: PublishingChannel
  /// Deliveries of any session whose queue was deleted meanwhile. No other worker can have them.
  var orphans: Set<RabbitMQReceipt> = []
  /// Whether a release has failed because the queue was deleted.
  private var isOver = false

  /// Connects, and makes sure that the queue and the exchange of the URL exist.
  init(_ url: RabbitMQURL, in queues: Queues) throws(QueueError) {
    let connection = try AMQPConnection(to: url.server, certificateFile: queues.certificateFile)
    let replies = ReplyQueue(on: connection, tell: queues.tell)
    let taking = try TakingChannel(on: replies, to: url.queue ?? "", of: url.queueType)
    let publishing = try PublishingChannel(on: replies)
    try replies.prepare(url)
    (self.replies, self.taking, self.publishing) = (replies, taking, publishing)
  }

  /// Whether the next use needs a new session, which makes sure again that the queue exists.
  var isStale: Bool { isOver || publishing.hasLostRoute }

  /// Whether a delivery is out on this session. Those of earlier sessions are back in the queue.
  private func isOut(_ receipt: RabbitMQReceipt) -> Bool {
    receipt.session == id && replies.inbox.unsettled.contains(receipt.tag)
  }

  /// Returns the receipt of a delivery, or nil if another worker may have the delivery.
  func held(_ delivery: Delivery) -> RabbitMQReceipt? {
    RabbitMQReceipt(delivery.receipt).flatMap { isOut($0) || orphans.contains($0) ? $0 : nil }
  }

  /// Call this after a failure. If the queue was deleted, its deliveries become orphans.
  mutating func noteOrphans() {
    // If the queue is gone, counting fails and sets `hasLostQueue`.
    if replies.hasEndedSubscription, !replies.hasLostQueue { _ = try? taking.count() }
    guard replies.hasLostQueue else { return }
    orphans.formUnion(replies.inbox.handedOut.map { RabbitMQReceipt(session: id, tag: $0) })
  }

  /// - Parameters:
  ///   - sorts: true if the caller sorts or inspects the queue, so nothing is republished.
  ///   - prefetch: how many messages may be on lease even if fewer are asked for. Nil to take no more than asked for.
  mutating func receive(
    _ limit: Int, sorts: Bool, upTo prefetch: Prefetch? = nil
  ) throws(QueueError) -> [Delivery] {
    taking.takesAll = sorts
    replies.inbox.isLimited = !sorts
    let most = prefetch?.most(publishing: replies.inbox.publishing.count)
    let taken = try taking.counted(taking.take(limit, waits: sorts, upTo: most))
    return deliveries(sorts ? taken : try republishUncounted(taken))
  }

  /// Returns what has arrived since the lasting subscriptions ended. Nil if no more will arrive.
  mutating func receiveRest(_ limit: Int) throws(QueueError) -> [Delivery]? {
    try taking.endSubscriptions()
    try taking.hearAll(waits: false)
    try taking.giveBackExcess()
    let taken = replies.inbox.takeArrived(limit)
    if taken.isEmpty, replies.inbox.outstandingReplies == 0 { return nil }
    return deliveries(try republishUncounted(taking.counted(taken)))
  }

  private func deliveries(_ taken: [AMQPDelivery]) -> [Delivery] {
    taken.map { delivery in
      let receipt = RabbitMQReceipt(session: id, tag: delivery.tag).text
      return Delivery(
        message: delivery.message, attempt: delivery.attempt, receipt: receipt, arrival: delivery.arrival)
    }
  }

  /// Reads what has arrived, and sends a heartbeat when one is due. Gives back messages that the worker
  /// has not taken for long, as while its store fails: their deadline is running, and another worker could
  /// process them. A caller that goes through the whole queue takes them later.
  mutating func service() throws(QueueError) {
    try replies.service()
    try taking.giveBackExcess()
    guard !taking.takesAll, let oldest = replies.inbox.arrived.first, .now - oldest.arrival > Self.patience
    else { return }
    try taking.giveBack(replies.inbox.takeArrived(.max).map(\.tag))
  }

  /// Gives deliveries back. Returns those whose queue was deleted, which the caller has to requeue.
  mutating func release(_ receipts: [RabbitMQReceipt]) throws(QueueError) -> Set<RabbitMQReceipt> {
    do throws(QueueError) {
      try replies.service()
      var out = Set(receipts.filter { isOut($0) }.map(\.tag))
      // A get after an acknowledgment may have brought a message, which nobody would take after this.
      if taking.takesAll { out.formUnion(replies.inbox.takeArrived(.max).map(\.tag)) }
      out.formUnion(replies.inbox.takeExcess())
      // They go back in the order of their hand-out, which becomes their order in the queue.
      if !out.isEmpty { try taking.giveBack(out.sorted()) }
    } catch {
      noteOrphans()
      guard !orphans.isDisjoint(with: receipts) else { throw error }
      // The next use recreates the queue. The other deliveries go back when this session ends.
      isOver = true
    }
    return orphans.intersection(receipts)
  }

  /// Republishes messages that came back uncounted: they might kill one worker after another. A
  /// copy goes to the end of the queue, with the count in a header. Returns the other deliveries.
  private mutating func republishUncounted(_ deliveries: [AMQPDelivery]) throws(QueueError) -> [AMQPDelivery]
  {
    let uncounted = deliveries.filter(\.isUncounted)
    guard !uncounted.isEmpty else { return deliveries }
    let copies = uncounted.map { delivery in
      var message = delivery.message.withoutExpiration
      message.headers.append(Header(Message.crashHeader, "\(delivery.attempt - 1)"))
      return message
    }
    let results = try publishing.send(copies, to: .queue(taking.queue))
    let renewed = Set(zip(uncounted, results).filter { $1 == .sent }.map(\.0.tag))
    try taking.acknowledge(renewed)
    return deliveries.filter { !renewed.contains($0.tag) }
  }
}
