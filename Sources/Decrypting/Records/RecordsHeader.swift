/// The header of a body (RFC 8188 section 2.1): `salt(16) | record size(4) | length of the name(1) | name`.
struct RecordsHeader: Equatable, Sendable {
  static let fixedCount = 21

  let salt: [UInt8]
  /// The length of a record: content of a byte or more, a delimiter and a tag. 18 to 4,294,967,295.
  let recordSize: Int
  let keyID: [UInt8]

  /// The length of a header with this beginning. Only a minimum until there are 21 bytes of it.
  static func count(of beginning: [UInt8]) -> Int {
    beginning.count < fixedCount ? fixedCount : fixedCount + Int(beginning[fixedCount - 1])
  }

  /// Reads a whole header, or the header at the beginning of a whole body.
  init(_ bytes: [UInt8]) throws(DecryptingError) {
    let count = Self.count(of: bytes)
    guard bytes.count >= count else { throw .failed }
    try self.init(
      salt: Array(bytes[..<16]), recordSize: bytes[16..<20].reduce(0) { $0 << 8 | Int($1) },
      keyID: Array(bytes[Self.fixedCount..<count]))
  }

  init(salt: [UInt8], recordSize: Int, keyID: [UInt8]) throws(DecryptingError) {
    guard salt.count == 16, 18...Int(UInt32.max) ~= recordSize, keyID.count <= 255 else { throw .failed }
    self.salt = salt
    self.recordSize = recordSize
    self.keyID = keyID
  }

  var bytes: [UInt8] {
    salt + UInt32(truncatingIfNeeded: recordSize).bytes + [UInt8(truncatingIfNeeded: keyID.count)] + keyID
  }
}
