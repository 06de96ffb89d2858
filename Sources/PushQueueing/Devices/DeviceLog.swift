/// What is known about a device, and the pushes that are kept for it. Stored as one blob.
package struct DeviceLog: Sendable, Equatable {
  /// Changes whenever the layout of the bytes changes.
  private static let version: UInt8 = 1
  private static let headSize = 53

  var token: String
  var epoch: Int64
  /// The last position given, or 0.
  var last: Int64 = 0
  /// When it last got a push, asked, or sent a receipt.
  package internal(set) var active: Int64
  /// When it last reported what it has seen, or 0.
  var receipt: Int64 = 0
  /// The last reported `PushReceipt.summarized`.
  var summarized: Int64 = 0
  /// Whether its token is dead. The next push then begins a new epoch.
  var isDead = false
  var asks = RequestRate()
  var receipts = RequestRate()
  var pushes = PushStates()

  init(token: String, epoch: Int64, at now: Int64) {
    (self.token, self.epoch, active) = (token, epoch, now)
  }

  /// Returns nil if the bytes are damaged.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headSize, bytes[0] == Self.version else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64 {
      Int64(truncatingIfNeeded: bytes.integer(at: offset, count))
    }
    isDead = bytes[1] != 0
    (epoch, last, active) = (number(2, 6), number(8, 4), number(12, 6))
    (receipt, summarized) = (number(18, 6), number(24, 4))
    asks = RequestRate(last: number(28, 6), hour: number(34, 4), count: bytes[38])
    receipts = RequestRate(last: number(39, 6), hour: number(45, 4), count: bytes[49])
    // One byte stays free.
    let end = Self.headSize + Int(number(51, 2))
    guard bytes.count >= end, let pushes = PushStates(Array(bytes[end...])) else { return nil }
    token = String(decoding: bytes[Self.headSize..<end], as: UTF8.self)
    self.pushes = pushes
  }

  package var bytes: [UInt8] {
    let token = token.utf8.prefix(Int(UInt16.max))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headSize + token.count + pushes.bytes.count)
    bytes += [Self.version, isDead ? 1 : 0]
    bytes.append(integer: epoch, 6)
    bytes.append(integer: last, 4)
    bytes.append(integer: active, 6)
    bytes.append(integer: receipt, 6)
    bytes.append(integer: summarized, 4)
    for rate in [asks, receipts] {
      bytes.append(integer: rate.last, 6)
      bytes.append(integer: rate.hour, 4)
      bytes.append(rate.count)
    }
    bytes.append(0)
    bytes.append(integer: Int64(token.count), 2)
    bytes += token
    bytes += pushes.bytes
    return bytes
  }

  /// Whether the device has been away for so long that it is forgotten.
  func isForgotten(at now: Int64) -> Bool { now - active > PushQueueLimits.deviceLife }

  /// The number of the oldest push that may be dropped, or nil. A push without an answer has to stay, because
  /// its message may come again.
  package var oldestDroppable: Int64? {
    pushes.indices.lazy.map { pushes[$0] }.first { $0.answer != .none }?.number
  }

  /// The numbers of the pushes that may be dropped, the oldest first.
  package var droppableNumbers: [Int64] {
    pushes.indices.map { pushes[$0] }.filter { $0.answer != .none }.map(\.number)
  }
}

/// The rate at which a device asks.
struct RequestRate: Sendable, Equatable {
  /// When it asked last, in milliseconds.
  var last: Int64 = 0
  /// When the hour in which `count` requests were counted began, in seconds.
  var hour: Int64 = 0
  var count: UInt8 = 0

  /// Counts a request and returns nil. If there were already `limit` in this hour, or the last one was too
  /// recent, returns how many milliseconds to wait instead. If the clock was set back, nobody waits longer
  /// than the pause or the hour.
  mutating func admit(at now: Int64, perHour limit: Int) -> Int64? {
    let (since, sinceHour) = (now - last, now - hour * 1_000)
    if last != 0, since.magnitude < PushQueueLimits.askPause.magnitude {
      return min(PushQueueLimits.askPause, PushQueueLimits.askPause - since)
    }
    if sinceHour < 0 || sinceHour >= 3_600_000 { (hour, count) = (now / 1_000, 0) }
    if count >= limit { return 3_600_000 - (now - hour * 1_000) }
    (last, count) = (now, min(count, .max - 1) + 1)
    return nil
  }
}
