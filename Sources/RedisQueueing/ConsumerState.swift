internal import Queueing

/// The names and leases of this process, and what it knows about the other consumers of the group.
///
/// The clocks of the server and the kernel may be set, so leases do not depend on them. Each
/// process has a mark among the consumers of the group: a name with a number that changes with each
/// sign of life. Other processes check it at their own intervals.
struct ConsumerState {
  /// The consumer that holds released messages until they are handed out again.
  static let free = "push-enricher.free"
  /// The consumer that holds messages that are put aside until they are due.
  static let postponed = "push-enricher.postponed"

  /// Identifies this process for this queue.
  private let process = "push-enricher-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
  private let leaseDuration: Duration
  private var generation = 0
  private var number = 0
  /// Marks of this process that may be in the group. Several if a reply is lost or still to come.
  private var marks: [String] = []
  private var lastSign: ContinuousClock.Instant?
  /// Those of all deliveries in hand, even if they have ended: while Redis is down, nobody else gets the messages.
  private var leases: [String: Lease] = [:]
  /// When this process first asked for messages.
  private var start: ContinuousClock.Instant?
  private(set) var census = ConsumerCensus()

  init(leaseDuration: Duration) { self.leaseDuration = leaseDuration }

  /// The time between two signs of life.
  static func interval(_ leaseDuration: Duration) -> Duration {
    max(leaseDuration / QueueLease.missingSigns, .milliseconds(10))
  }

  struct Lease {
    /// Other processes do not end the lease before this time.
    fileprivate(set) var end: ContinuousClock.Instant
    /// How many requests to end the lease may have been carried out.
    fileprivate var ends = 0

    /// Whether no other process can have been given the message. If Redis then lacks it, Redis has
    /// lost it. If only the hand-out is lost, as in a restored copy, the result may come twice.
    var isSure: Bool { ends == 0 && .now < end }
  }

  /// Changes with each release, so that no two receipts are the same. Also changes with each lost
  /// reply: unknown messages under an old name have not arrived.
  var consumer: String { "\(process).\(generation)" }
  var holdsNothing: Bool { leases.isEmpty }
  mutating func rename() { generation += 1 }

  /// Whether this process may not know yet which consumers have ended: it first asked for messages less than
  /// `duration` ago, or has not looked often enough because the machine is busy.
  mutating func isNew(for duration: Duration) -> Bool {
    let start = start ?? .now
    self.start = start
    return .now < start + duration || census.looks <= QueueLease.missingSigns + 1
  }

  /// A sign of life to send with a request.
  struct Sign {
    /// The mark of this process in the group from now on.
    let mark: String
    /// The marks to remove at the same time.
    var oldMarks: [String] = []
    var isNew = false
    fileprivate let sent: ContinuousClock.Instant
  }

  /// Returns a sign with a new mark if the last sign is at least an interval old.
  mutating func sign() -> Sign {
    let now = ContinuousClock.now
    if let lastSign, now - lastSign < Self.interval(leaseDuration), let mark = marks.last {
      return Sign(mark: mark, sent: lastSign)
    }
    number += 1
    let sign = Sign(mark: "\(process)=\(number)", oldMarks: marks, isNew: true, sent: now)
    marks.append(sign.mark)
    return sign
  }

  /// Redis has set the mark, so the leases that have not ended yet are extended.
  mutating func confirm(_ sign: Sign) {
    // An earlier confirmation has done it. Doing it again takes long if a command holds 100,000 leases.
    guard sign.isNew else { return }
    marks.removeAll(where: sign.oldMarks.contains)
    lastSign = sign.sent
    let (now, end) = (ContinuousClock.now, sign.sent + leaseDuration)
    for (receipt, lease) in leases where lease.end > now { leases[receipt]?.end = max(lease.end, end) }
  }

  /// Redis has neither set the mark nor removed the old ones.
  mutating func withdraw(_ sign: Sign) {
    if sign.isNew { marks.removeAll { $0 == sign.mark } }
  }

  mutating func take(_ deliveries: [Delivery], _ sign: Sign) {
    for delivery in deliveries { leases[delivery.receipt] = Lease(end: sign.sent + leaseDuration) }
  }

  /// Call this before sending the request, because the reply may be lost.
  mutating func askToEnd(_ deliveries: [Delivery]) {
    for delivery in deliveries { leases[delivery.receipt]?.ends += 1 }
  }

  mutating func refuseToEnd(_ deliveries: [Delivery]) {
    for delivery in deliveries { leases[delivery.receipt]?.ends -= 1 }
  }

  func lease(of delivery: Delivery) -> Lease? { leases[delivery.receipt] }

  mutating func leave(_ deliveries: [Delivery]) {
    for delivery in deliveries { leases[delivery.receipt] = nil }
  }

  mutating func look(at consumers: [RedisConsumer]) {
    census.look(at: consumers, from: process, as: consumer, ownMarks: marks)
  }

  /// Former names that may hold messages that never arrived, and entries that did arrive. Call it
  /// once per look.
  mutating func search() -> (names: [String], known: [String]) {
    let names = census.takeUnexplained()
    return (names, names.isEmpty ? [] : leases.keys.compactMap { RedisReceipt($0)?.entry })
  }
}
