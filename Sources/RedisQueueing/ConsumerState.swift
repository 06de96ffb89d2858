internal import Queueing

/// What a queue has been handed out, and under which names. Redis may have handed out more, in answers that never came.
struct ConsumerState {
  /// What Redis calls us. Another after each release, so that no two receipts are the same.
  private(set) var consumer = RedisQueue.newName()
  private var receipts: Set<String> = []
  /// The name under which an answer was lost last, and until when what it may have handed out is looked for: a question that was given up
  /// may be carried out later. What nobody has looked for comes back when its lease is over.
  private var uncertain: (consumer: String, end: ContinuousClock.Instant)?

  mutating func take(_ deliveries: [Delivery]) { receipts.formUnion(deliveries.map(\.receipt)) }

  mutating func leave(_ deliveries: [Delivery]) { receipts.subtract(deliveries.map(\.receipt)) }

  mutating func rename() { consumer = RedisQueue.newName() }

  /// The answer to a question for messages has not come.
  mutating func loseReply() { uncertain = (consumer, .now + QueueLease.duration) }

  /// The name under which there may be messages that nobody has got, and the entries under it that somebody has; the name is empty where
  /// there are none such.
  mutating func search() -> [String] {
    if let uncertain, uncertain.end <= .now { self.uncertain = nil }
    guard let name = uncertain?.consumer else { return [""] }
    return [name] + receipts.compactMap { RedisReceipt($0)?.entry }
  }
}
