extension Collection<UInt8> {
  /// Escapes all bytes but the unreserved ones and those of `kept`, with upper-case digits (RFC 3986 section 2).
  package func percentEncoded(keeping kept: String = "") -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in self {
      if byte.isUnreserved || kept.utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes with each escape replaced. Nil if a `%` has no two hexadecimal digits after it.
  package var percentDecoded: [UInt8]? {
    let pieces = split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(pieces[0])
    for piece in pieces.dropFirst() {
      guard let byte = piece.hexadecimalNumber(digits: 2) else { return nil }
      bytes.append(UInt8(byte))
      bytes += piece.dropFirst(2)
    }
    return bytes
  }
}
