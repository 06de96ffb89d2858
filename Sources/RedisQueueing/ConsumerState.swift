internal import Queueing

/// What this process holds, and under which consumer names. Redis may have handed out more, in replies that
/// were lost.
struct ConsumerState {
  /// Our name as a consumer. A new one after each release, so that no two receipts are the same.
  private(set) var consumer = RedisQueue.newName()
  /// The name that messages were last asked for with.
  private var asked = ""
  /// By receipt.
  private var leases: [String: Lease] = [:]
  /// The name under which a reply was last lost, and until when its messages are searched for: a request that
  /// timed out may be carried out later. Messages not found by then return when their leases are over.
  private var uncertain: (consumer: String, end: ContinuousClock.Instant)?

  struct Lease {
    /// When it ends, not later than Redis ends it.
    fileprivate(set) var end: ContinuousClock.Instant
    /// Requests to end it that may have been carried out.
    fileprivate var ends = 0

    /// Whether Redis has given the message to nobody else: when Redis does not have it, Redis has lost it. A
    /// server that lost only the hand-out, as by a restored copy, may have: then its result comes twice.
    var isSure: Bool { ends == 0 && .now < end }
  }

  mutating func take(_ deliveries: [Delivery], until end: ContinuousClock.Instant) {
    // Some that could not be released, and that nobody asks for any more.
    let longOver = ContinuousClock.now - QueueLease.duration
    if leases.values.contains(where: { $0.end <= longOver }) {
      leases = leases.filter { $0.value.end > longOver }
    }
    for delivery in deliveries { leases[delivery.receipt] = Lease(end: end) }
  }

  mutating func extend(_ deliveries: [Delivery], until end: ContinuousClock.Instant) {
    for delivery in deliveries { leases[delivery.receipt]?.end = end }
  }

  /// Redis is asked to end their leases. The reply may be lost.
  mutating func askToEnd(_ deliveries: [Delivery]) {
    for delivery in deliveries { leases[delivery.receipt]?.ends += 1 }
  }

  /// Redis has replied to a request to end the lease that it has not.
  mutating func refuseToEnd(_ deliveries: [Delivery]) {
    for delivery in deliveries { leases[delivery.receipt]?.ends -= 1 }
  }

  /// - Returns: nil for a delivery that it does not hold.
  func lease(of delivery: Delivery) -> Lease? { leases[delivery.receipt] }

  mutating func leave(_ deliveries: [Delivery]) {
    for delivery in deliveries { leases[delivery.receipt] = nil }
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
    return [name] + leases.keys.compactMap { RedisReceipt($0)?.entry }
  }
}
