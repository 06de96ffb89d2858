internal import Queueing

/// What this process holds, under which names, and what it knows of the other consumers of the group.
///
/// No clock decides who is alive: that of the server, or the kernel's, may be set. Each process has a mark among the
/// consumers of the group, a number in a name. With each sign of life the number changes. The others look for it at
/// intervals that they measure themselves.
struct ConsumerState {
  /// Released messages are under this name until they are handed out again.
  static let free = "push-enricher.free"
  /// How long leases are remembered after their end: their results may still come, or their release.
  private static let memory = Duration.seconds(90)

  /// Of this process, and of this queue.
  private let process = "push-enricher-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
  private let leaseDuration: Duration
  private var generation = 0
  private var number = 0
  /// Marks of this process that may be in the group. More than one if a reply was lost or is still to come.
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
    /// When it ends, not later than others can end it.
    fileprivate(set) var end: ContinuousClock.Instant
    /// Requests to end it that may have been carried out.
    fileprivate var ends = 0

    /// Whether Redis has given the message to nobody else: if Redis does not have it, Redis has lost it. A server
    /// that lost only the hand-out, as by a restored copy, may have: then its result comes twice.
    var isSure: Bool { ends == 0 && .now < end }
  }

  /// Our name as a consumer. A new one after each release, so that no two receipts are the same, and after each lost
  /// reply: what Redis hands out under the old one and we do not know has not arrived.
  var consumer: String { "\(process).\(generation)" }

  var holdsNothing: Bool { leases.isEmpty }

  mutating func rename() { generation += 1 }

  /// A sign of life that goes along with a request.
  struct Sign {
    /// To be in the group from now on.
    let mark: String
    /// To be removed at the same time: those that may be there.
    var oldMarks: [String] = []
    var isNew = false
    fileprivate let sent: ContinuousClock.Instant
  }

  /// The mark that a request is to leave: a new one, if the last is an interval old.
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

  /// Redis has not left the mark, and not removed the others.
  mutating func withdraw(_ sign: Sign) {
    if sign.isNew { marks.removeAll { $0 == sign.mark } }
  }

  /// Notes what was handed out with a sign of life.
  mutating func take(_ deliveries: [Delivery], _ sign: Sign) {
    // Some that could not be released, and that nobody asks for any more.
    let longOver = ContinuousClock.now - Self.memory
    for (receipt, lease) in leases where lease.end <= longOver { leases[receipt] = nil }
    for delivery in deliveries { leases[delivery.receipt] = Lease(end: sign.sent + leaseDuration) }
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

  mutating func look(at consumers: [RedisConsumer]) {
    census.look(at: consumers, from: process, as: consumer, ownMarks: marks)
  }

  /// Former names of this process under which messages may be that have not arrived, and entries that have. Once a look.
  mutating func search() -> (names: [String], known: [String]) {
    let names = census.takeUnexplained()
    return (names, names.isEmpty ? [] : leases.keys.compactMap { RedisReceipt($0)?.entry })
  }
}
