internal import Queueing

/// The names and leases of this process, and what it knows of the other consumers of the group.
///
/// The clocks of the server and the kernel may be set. So each process has a mark among the consumers of the group, a
/// number in a name, which changes with each sign of life. The others look for that at intervals of their own.
struct ConsumerState {
  /// The consumer that has released messages until they are handed out again.
  static let free = "push-enricher.free"
  /// How long leases are kept after their end: a result may still come.
  private static let memory = Duration.seconds(90)

  /// This process, for this queue.
  private let process = "push-enricher-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
  private let leaseDuration: Duration
  private var generation = 0
  private var number = 0
  /// Marks of this process that may be in the group: several if a reply was lost or is still to come.
  private var marks: [String] = []
  private var lastSign: ContinuousClock.Instant?
  private var leases: [String: Lease] = [:]
  private(set) var census = ConsumerCensus()

  init(leaseDuration: Duration) { self.leaseDuration = leaseDuration }

  /// Between two signs of life.
  static func interval(_ leaseDuration: Duration) -> Duration {
    max(leaseDuration / QueueLease.missingSigns, .milliseconds(10))
  }

  struct Lease {
    /// Others end it at this time at the earliest.
    fileprivate(set) var end: ContinuousClock.Instant
    /// Requests to end it that may have been carried out.
    fileprivate var ends = 0

    /// Whether Redis has given the message to nobody else: if Redis lacks it, Redis has lost it. If it lost only the
    /// hand-out, as by a restored copy, the result may come twice.
    var isSure: Bool { ends == 0 && .now < end }
  }

  /// Changes with each release, so that no two receipts are the same, and with each lost reply: messages under an old
  /// name that we do not know have not arrived.
  var consumer: String { "\(process).\(generation)" }
  var holdsNothing: Bool { leases.isEmpty }
  mutating func rename() { generation += 1 }

  /// A sign of life that goes along with a request.
  struct Sign {
    /// To be in the group from now on.
    let mark: String
    /// To be removed at the same time.
    var oldMarks: [String] = []
    var isNew = false
    fileprivate let sent: ContinuousClock.Instant
  }

  /// With a new mark if the last is an interval old.
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

  /// Redis has left the mark: leases that have lasted until now last on.
  mutating func confirm(_ sign: Sign) {
    marks.removeAll(where: sign.oldMarks.contains)
    lastSign = sign.sent
    let (now, end) = (ContinuousClock.now, sign.sent + leaseDuration)
    for (receipt, lease) in leases where lease.end > now { leases[receipt]?.end = max(lease.end, end) }
  }

  /// Redis has not left the mark, nor removed the old ones.
  mutating func withdraw(_ sign: Sign) {
    if sign.isNew { marks.removeAll { $0 == sign.mark } }
  }

  mutating func take(_ deliveries: [Delivery], _ sign: Sign) {
    // Some could not be released.
    let longOver = ContinuousClock.now - Self.memory
    for (receipt, lease) in leases where lease.end <= longOver { leases[receipt] = nil }
    for delivery in deliveries { leases[delivery.receipt] = Lease(end: sign.sent + leaseDuration) }
  }

  /// The reply may be lost.
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

  /// Former names that may hold messages that have not arrived, and the entries that have. Once a look.
  mutating func search() -> (names: [String], known: [String]) {
    let names = census.takeUnexplained()
    return (names, names.isEmpty ? [] : leases.keys.compactMap { RedisReceipt($0)?.entry })
  }
}
