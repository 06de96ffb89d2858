internal import Queueing

/// What this process holds, and under which consumer names. Redis may have handed out more, in replies that
/// were lost.
struct ConsumerState {
  /// Our name as a consumer. A new one after each release, so that no two receipts are the same.
  private(set) var consumer = RedisQueue.newName()
  /// The name that messages were last asked for with.
  private var asked = ""
  private var receipts: Set<String> = []
  /// The name under which a reply was last lost, and until when its messages are searched for: a request that
  /// timed out may be carried out later. Messages not found by then return when their leases are over.
  private var uncertain: (consumer: String, end: ContinuousClock.Instant)?

  mutating func take(_ deliveries: [Delivery]) { receipts.formUnion(deliveries.map(\.receipt)) }

  /// - Returns: those that it held.
  mutating func leave(_ deliveries: [Delivery]) -> [Delivery] {
    deliveries.filter { receipts.remove($0.receipt) != nil }
  }

  mutating func rename() { consumer = RedisQueue.newName() }

  /// The reply to the last request for messages was lost.
  mutating func loseReply() { uncertain = (asked, .now + QueueLease.duration) }

  /// Messages are asked for.
  /// - Returns: who asks, and for `RedisCommand.receive` the consumer that may hold messages whose reply was
  ///   lost, and the entries that did arrive; one empty string where no reply was lost.
  mutating func ask() -> (consumer: String, search: [String]) {
    asked = consumer
    return (consumer, search())
  }

  private mutating func search() -> [String] {
    if let uncertain, uncertain.end <= .now { self.uncertain = nil }
    guard let name = uncertain?.consumer else { return [""] }
    return [name] + receipts.compactMap { RedisReceipt($0)?.entry }
  }
}
