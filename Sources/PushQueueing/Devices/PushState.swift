internal import Supporting

/// The state that decides whether a kept push is sent again. Its content is kept elsewhere.
package struct PushState: Sendable, Equatable {
  enum Answer: UInt8 {
    /// APNs has not answered yet. The push is in flight, or comes again from its queue.
    case none
    case accepted, rejected, expired
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let seen = Flags(rawValue: 1)
    /// A device has missed it.
    static let asked = Flags(rawValue: 2)
    /// It is to be sent again.
    static let wanted = Flags(rawValue: 4)
    /// It was handed out to be sent again and has no answer yet.
    static let leased = Flags(rawValue: 8)
    /// APNs accepted it first, but refused it when it was sent again.
    static let refused = Flags(rawValue: 16)
  }

  /// 1 to `maximumPosition`.
  let position: Int64
  /// Orders all kept pushes by their age, and finds the content.
  package let number: Int64
  /// The beginning of the SHA-256 of `OfferedPush.message`.
  let message: MessageHash
  /// The beginning of the SHA-256 of the sender's collapse id. 0 if there is none.
  let collapse: UInt64
  let expires: Int64
  /// When APNs accepted it, or 0.
  var answered: Int64 = 0
  /// When it was last sent again, or 0.
  var sent: Int64 = 0
  var answer = Answer.none
  var flags: Flags = []
  /// How many times it was sent again.
  var resent: UInt8 = 0

  /// When it is dropped. A push without an answer stays longer, so that its answer is counted.
  var end: Int64 { answer == .none ? expires + PushQueueLimits.unansweredLife : expires }

  package static let maximumPosition = Int64(UInt32.max)

  /// Whether at least `pause` milliseconds have passed since it was sent again. The clock may have been set
  /// meanwhile.
  func isRested(for pause: Int64, at now: Int64) -> Bool {
    resent == 0 || (now &- sent).magnitude >= pause.magnitude
  }

  /// Whether a device that has not seen it by now never will see it.
  func isGone(at now: Int64) -> Bool {
    if flags.contains(.seen) { return false }
    return switch answer {
    case .none: false
    case .rejected, .expired: true
    case .accepted:
      flags.contains(.refused) || expires <= now
        || resent >= PushQueueLimits.resends && !flags.contains(.wanted)
          && isRested(for: PushQueueLimits.resendPause, at: now)
    }
  }

  /// Whether another process may be sending it again.
  func isLeased(at now: Int64) -> Bool {
    flags.contains(.leased) && !isRested(for: PushQueueLimits.resendLease, at: now)
  }
}

extension MessageHash {
  /// Returns nil if OpenSSL has no memory.
  init?(of message: String) {
    guard let digest = SHA256.digest(of: message.utf8Span.span) else { return nil }
    self.init(high: digest.integer(at: 0, 8), low: UInt32(digest.integer(at: 8, 4)))
  }
}

/// 96 bits, enough that two different messages never have the same hash.
struct MessageHash: Sendable, Equatable {
  let high: UInt64
  let low: UInt32
}

/// The kept pushes of a device by position, 50 bytes each. They are decoded one by one, because most
/// operations concern only one push.
package struct PushStates: Sendable, Equatable {
  private static let size = 50

  private(set) var bytes: [UInt8]

  init() { bytes = [] }

  /// Returns nil if the bytes are damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count.isMultiple(of: Self.size) else { return nil }
    self.bytes = bytes
  }

  var count: Int { bytes.count / Self.size }
  var isEmpty: Bool { bytes.isEmpty }
  var indices: Range<Int> { 0..<count }

  subscript(index: Int) -> PushState {
    get {
      let start = index * Self.size
      func number(_ offset: Int, _ count: Int) -> Int64 {
        Int64(truncatingIfNeeded: bytes.integer(at: start + offset, count))
      }
      var state = PushState(
        position: number(0, 4), number: number(4, 6),
        message: MessageHash(
          high: bytes.integer(at: start + 10, 8),
          low: UInt32(truncatingIfNeeded: bytes.integer(at: start + 18, 4))),
        collapse: bytes.integer(at: start + 22, 8), expires: number(30, 6))
      (state.answered, state.sent) = (number(36, 6), number(42, 6))
      state.answer = PushState.Answer(rawValue: bytes[start + 48] & 0x0F) ?? .none
      state.resent = bytes[start + 48] >> 4
      state.flags = PushState.Flags(rawValue: bytes[start + 49])
      return state
    }
    set {
      let start = index * Self.size
      bytes.replace(at: start + 36, with: newValue.answered, 6)
      bytes.replace(at: start + 42, with: newValue.sent, 6)
      bytes[start + 48] = newValue.answer.rawValue | newValue.resent << 4
      bytes[start + 49] = newValue.flags.rawValue
    }
  }

  /// - Parameter state: its position must follow all others.
  mutating func append(_ state: PushState) {
    bytes.reserveCapacity(bytes.count + Self.size)
    bytes.append(integer: state.position, 4)
    bytes.append(integer: state.number, 6)
    bytes.append(integer: Int64(bitPattern: state.message.high), 8)
    bytes.append(integer: Int64(state.message.low), 4)
    bytes.append(integer: Int64(bitPattern: state.collapse), 8)
    bytes.append(integer: state.expires, 6)
    bytes.append(integer: 0, 6)
    bytes.append(integer: 0, 6)
    bytes += [0, 0]
    self[count - 1] = state
  }

  mutating func remove(at index: Int) {
    bytes.removeSubrange(index * Self.size..<(index + 1) * Self.size)
  }

  /// The index of the position, or of the first one after it.
  func lowerBound(_ position: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self.position(at: middle) < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func index(of position: Int64) -> Int? {
    let index = lowerBound(position)
    return index < count && self.position(at: index) == position ? index : nil
  }

  func index(of message: MessageHash) -> Int? {
    indices.last {
      bytes.integer(at: $0 * Self.size + 10, 8) == message.high && self[$0].message == message
    }
  }

  func position(at index: Int) -> Int64 {
    Int64(truncatingIfNeeded: bytes.integer(at: index * Self.size, 4))
  }

  /// Whether a newer push with the same collapse id takes the place of this one.
  func isSuperseded(_ index: Int) -> Bool {
    let collapse = self[index].collapse
    guard collapse != 0 else { return false }
    return (index + 1..<count).contains {
      bytes.integer(at: $0 * Self.size + 22, 8) == collapse
        && [.none, .accepted].contains(self[$0].answer)
    }
  }
}

extension [UInt8] {
  /// A number in `count` bytes, the lowest first.
  func integer(at start: Int, _ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in (start..<start + count).reversed() { value = value << 8 | UInt64(self[index]) }
    return value
  }

  mutating func append(integer value: Int64, _ count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> Int64(8 * index))) }
  }

  fileprivate mutating func replace(at start: Int, with value: Int64, _ count: Int) {
    for index in 0..<count { self[start + index] = UInt8(truncatingIfNeeded: value >> Int64(8 * index)) }
  }
}
