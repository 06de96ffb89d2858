/// A device during one operation: a store loads it, the operation changes it, and the store saves it.
package struct DeviceChange: Sendable {
  package let device: AppDevice
  /// Nil if the device is unknown, or is to be forgotten.
  package internal(set) var log: DeviceLog?
  /// When the first of its pushes expires, or an earlier time. 0 if it has none.
  package internal(set) var ends: Int64
  /// When the first of its pushes is to be sent again, or an earlier time. 0 if there is none.
  package internal(set) var due: Int64
  /// The number of the next push. Numbers grow.
  package internal(set) var next: Int64
  package private(set) var isChanged = false
  /// The pushes to add, and then those to remove. A push may be in both.
  package internal(set) var added: [(state: PushState, push: OfferedPush)] = []
  package private(set) var dropped: [PushState] = []
  package private(set) var counts: [(day: Int, statistic: Statistic, count: Int64)] = []

  /// - Parameter next: the number of the next push that is added.
  package init(_ device: AppDevice, log: DeviceLog?, ends: Int64 = 0, due: Int64 = 0, next: Int64) {
    (self.device, self.log, self.ends, self.due, self.next) = (device, log, ends, due, next)
  }

  /// Takes the log out, so that it can be changed in place. Put it back. Nil if the device is
  /// unknown or forgotten at `now`.
  mutating func take(at now: Int64) -> DeviceLog? {
    guard let log, !log.isForgotten(at: now) else { return nil }
    self.log = nil
    return log
  }

  mutating func put(_ log: DeviceLog, isChanged: Bool = true) {
    self.log = log
    if isChanged { self.isChanged = true }
  }

  mutating func count(_ statistic: Statistic, _ count: Int64 = 1, at time: Int64) {
    counts.append((Int(time / DeviceChange.day), statistic, count))
  }

  /// In milliseconds.
  package static let day: Int64 = 86_400_000

  /// Drops a kept push. If it has expired, counts its outcome.
  mutating func drop(_ index: Int, of log: inout DeviceLog, at now: Int64) {
    let push = log.pushes[index]
    if push.expires <= now {
      if push.answer == .none { count(.expired, at: push.expires) }
      let isHeard = log.receipt > 0 && log.receipt >= push.expires - PushQueueLimits.receiptLife
      if push.answer == .accepted, !push.flags.contains(.seen), isHeard { count(.lost, at: push.expires) }
    }
    log.pushes.remove(at: index)
    dropped.append(push)
  }

  mutating func dropAll(of log: inout DeviceLog, at now: Int64) {
    for index in log.pushes.indices.reversed() { drop(index, of: &log, at: now) }
    (ends, due) = (0, 0)
  }

  /// Forgets the device if it has been away for too long.
  mutating func forget(at now: Int64) {
    guard var log, log.isForgotten(at: now) else { return }
    dropAll(of: &log, at: now)
    self.log = nil
    isChanged = true
  }

  /// Drops what has expired.
  /// - Returns: how many were dropped.
  mutating func expire(at now: Int64) -> Int {
    guard var log else { return 0 }
    self.log = nil
    let before = log.pushes.count
    for index in log.pushes.indices.reversed() where log.pushes[index].end <= now {
      drop(index, of: &log, at: now)
    }
    ends = log.pushes.indices.lazy.map { log.pushes[$0].end }.min() ?? 0
    put(log)
    return before - log.pushes.count
  }

  /// Drops the pushes with these numbers, except those that APNs has not answered.
  mutating func drop(_ numbers: Set<Int64>, at now: Int64) {
    guard var log else { return }
    self.log = nil
    let before = log.pushes.count
    for index in log.pushes.indices.reversed()
    where numbers.contains(log.pushes[index].number) && log.pushes[index].answer != .none {
      drop(index, of: &log, at: now)
    }
    put(log, isChanged: log.pushes.count != before)
  }
}
