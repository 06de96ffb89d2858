/// The place of a push among those of its device: the member `q` that push-enricher writes into the payload.
public struct QueueMark: Equatable, Sendable {
  /// JSON numbers above this may have been rounded on the way (RFC 8259 section 6).
  static let maximum: UInt64 = 1 << 53 - 1

  /// Counted from 1, without gaps.
  public let position: UInt64
  /// The numbering that the position belongs to, as the seconds since 1970 when it began. A later numbering begins
  /// again with 1.
  public let epoch: UInt64
  /// Distinguishes pushes of this device from those of other devices. See `DeviceHash`.
  public let deviceHash: String
  /// Shows the server that this device got the push.
  public let ticket: String
  /// Whether the device asked for this push.
  public let isResent: Bool

  public init(position: UInt64, epoch: UInt64, deviceHash: String, ticket: String, isResent: Bool = false) {
    (self.position, self.epoch, self.deviceHash) = (position, epoch, deviceHash)
    (self.ticket, self.isResent) = (ticket, isResent)
  }

  /// Returns nil if the push has no mark, or one that cannot be read.
  public init?(userInfo: [AnyHashable: Any]) {
    guard let q = userInfo["q"] as? [String: Any],
      let position = Self.number(q["p"]), position > 0, let epoch = Self.number(q["e"]),
      let hash = q["d"] as? String, hash.isBase64URL, let ticket = q["t"] as? String, ticket.isBase64URL
    else { return nil }
    self.init(
      position: position, epoch: epoch, deviceHash: hash, ticket: ticket, isResent: Self.number(q["r"]) == 1)
  }

  /// A whole number that JSON keeps exactly. It is an `NSNumber` in a payload from APNs, and may be any kind of
  /// number in one that a test has made.
  private static func number(_ value: Any?) -> UInt64? {
    let number =
      (value as? any BinaryInteger).flatMap { UInt64(exactly: $0) }
      ?? (value as? Double).flatMap { UInt64(exactly: $0) }
    return number.flatMap { $0 <= maximum ? $0 : nil }
  }
}

extension String {
  /// Whether it is short and can be part of a header.
  var isBase64URL: Bool {
    1...64 ~= utf8.count
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
