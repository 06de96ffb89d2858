internal import Supporting
internal import Synchronization

/// How often clients at one address may ask: 1,000 times at once, and then 100 times a second. An address of
/// a mobile carrier may stand for thousands of devices.
///
/// A table of fixed size. Addresses whose hashes are equal share an entry, so that nobody can push others out by
/// coming from many addresses. Hashes differ from process to process, so nobody can choose whom to share with.
final class AddressRates: Sendable {
  static let burst = 1_000
  static let pause = Duration.milliseconds(10)
  private static let count = 4_096

  /// When each entry has its full burst again.
  private let ends: Mutex<[MonotonicTime]>

  init(at now: MonotonicTime = .now) {
    ends = Mutex(Array(repeating: now, count: Self.count))
  }

  /// Counts a request.
  /// - Returns: nil, or the milliseconds until the next request is let in. This one then does not count.
  func wait(for address: IPAddress, at now: MonotonicTime) -> Int64? {
    guard let network = address.network else { return nil }
    let index = Int(UInt(bitPattern: network.hashValue) % UInt(Self.count))
    return ends.withLock { ends in
      let end = max(ends[index], now) + Self.pause
      let surplus = end - now - Self.pause * Self.burst
      guard surplus > .zero else {
        ends[index] = end
        return nil
      }
      return Int64(surplus.milliseconds) + 1
    }
  }
}

extension IPAddress {
  /// Addresses that may be those of a proxy, or of a network that hides the address of the client: loopback, private
  /// (RFC 1918, RFC 6598, RFC 4193) and link-local.
  private static let hiding: [(family: Family, value: UInt128, bits: Int)] = [
    (.v4, 0x7F, 8), (.v4, 0x0A, 8), (.v4, 0xAC1, 12), (.v4, 0xC0A8, 16), (.v4, 0xA9FE, 16),
    (.v4, 0x6440 >> 6, 10), (.v6, 1, 128), (.v6, 0xFC >> 1, 7), (.v6, 0xFE80 >> 6, 10),
  ]

  /// The address itself, or for IPv6 its /64, which belongs to one customer. Nil if it may hide the client's
  /// address.
  fileprivate var network: IPAddress? {
    let plain = unmapped
    let width = plain.family == .v4 ? 32 : 128
    let isHiding = Self.hiding.contains {
      $0.family == plain.family && plain.value >> UInt128(width - $0.bits) == $0.value
    }
    guard !isHiding else { return nil }
    return plain.family == .v4 ? plain : IPAddress(family: .v6, value: (plain.value >> 64) << 64)
  }
}
