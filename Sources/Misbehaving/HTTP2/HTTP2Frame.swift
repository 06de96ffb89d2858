/// An HTTP/2 frame (RFC 9113 section 4.1), and the few kinds that attacks are made of.
package struct HTTP2Frame {
  package enum Kind: UInt8 {
    case data = 0
    case headers, priority, reset, settings, push, ping, goAway, window, continuation
  }

  package static let endOfStream: UInt8 = 1
  package static let endOfHeaders: UInt8 = 4
  /// The length of the preface that a client sends before its first frame (section 3.4).
  static let prefaceBytes = 24
  private static let headerBytes = 9

  let kind: UInt8
  private let flags: UInt8
  let stream: UInt32
  private let payload: [UInt8]

  /// Makes a frame of any type, known or not.
  package init(kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8]) {
    self.kind = kind
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  /// Removes the first frame from `bytes`. Nil if it is not complete.
  init?(from bytes: inout [UInt8]) {
    guard bytes.count >= Self.headerBytes else { return nil }
    let end = Self.headerBytes + Int(bytes[0]) << 16 + Int(bytes[1]) << 8 + Int(bytes[2])
    guard bytes.count >= end else { return nil }
    self.init(
      kind: bytes[3], flags: bytes[4], stream: bytes[5..<9].reduce(0) { $0 << 8 | UInt32($1) } & 0x7fff_ffff,
      Array(bytes[Self.headerBytes..<end]))
    bytes.removeSubrange(..<end)
  }

  package var bytes: [UInt8] {
    [16, 8, 0].map { UInt8(truncatingIfNeeded: payload.count >> $0) } + [kind, flags]
      + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + payload
  }
}

/// Header fields in HPACK (RFC 7541 section 6), without its compression.
package enum HPACK {
  /// `:status: 200`, from the static table (RFC 7541 appendix A).
  package static let ok: [UInt8] = [0x88]
  /// A reference to the newest field in the table.
  static let newest: [UInt8] = [0xbe]

  /// - Parameter isKept: whether both sides add the field to their tables.
  package static func field(_ name: String, _ value: String, isKept: Bool = false) -> [UInt8] {
    [isKept ? 0x40 : 0] + string(name) + string(value)
  }

  /// A status that is not in the static table.
  package static func status(_ status: Int) -> [UInt8] { [0x08] + string("\(status)") }

  private static func string(_ text: String) -> [UInt8] {
    var rest = text.utf8.count
    guard rest >= 127 else { return [UInt8(rest)] + text.utf8 }
    rest -= 127
    var length: [UInt8] = [127]
    while rest >= 128 {
      length.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return length + [UInt8(rest)] + text.utf8
  }
}
