/// What stands before the records (RFC 8188 section 2.1): `salt(16) | record size(4) | length of the name(1)
/// | name of the key`.
struct RecordsHeader: Equatable, Sendable {
  /// Octets up to the name.
  static let fixedCount = 21
  /// A record has at least one octet of content, a delimiter and a tag; the last one need not have the
  /// content.
  static let smallestRecord = 18

  let salt: [UInt8]
  /// Octets of a record with its tag: from 18 to 4,294,967,295.
  let recordSize: Int
  /// 0 to 255 octets.
  let keyID: [UInt8]

  /// Octets of the header that begins so, as far as that can be told yet.
  static func count(of beginning: [UInt8]) -> Int {
    beginning.count < fixedCount ? fixedCount : fixedCount + Int(beginning[fixedCount - 1])
  }

  /// Reads a whole header, or the header at the beginning of a whole body.
  /// - Throws: `DecryptingError.failed` when it is not all there, or the records are too small for anything.
  init(_ bytes: [UInt8]) throws(DecryptingError) {
    let count = Self.count(of: bytes)
    guard bytes.count >= count else { throw .failed }
    try self.init(
      salt: Array(bytes[..<16]), recordSize: bytes[16..<20].reduce(0) { $0 << 8 | Int($1) },
      keyID: Array(bytes[Self.fixedCount..<count]))
  }

  init(salt: [UInt8], recordSize: Int, keyID: [UInt8]) throws(DecryptingError) {
    guard salt.count == 16, (Self.smallestRecord...Int(UInt32.max)).contains(recordSize), keyID.count <= 255
    else {
      throw .failed
    }
    self.salt = salt
    self.recordSize = recordSize
    self.keyID = keyID
  }

  var bytes: [UInt8] {
    salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: recordSize >> $0) }
      + [UInt8(truncatingIfNeeded: keyID.count)] + keyID
  }
}
