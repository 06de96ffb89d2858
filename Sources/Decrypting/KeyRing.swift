/// All keys of a key file by their names. The name decides on the key and on the format: no other is tried,
/// and a message that leaves something out is not taken for a simpler one.
package struct KeyRing: Sendable {
  private let records: [String: KeyRecord]

  package init(_ records: [String: KeyRecord] = [:]) { self.records = records }

  package var isEmpty: Bool { records.isEmpty }

  /// Opens content in the `aes128gcm` coding: with a shared key or as Web Push, as the key's record says.
  /// - Parameters:
  ///   - body: as it came out of base64url.
  ///   - keyID: what the payload calls the key; nil if only the body does (Apple's `ENCRYPTED_DATA`).
  /// - Throws: `DecryptingError.keyUnknown`, `.failed`.
  package func open(aes128gcm body: [UInt8], keyID: String?) throws(DecryptingError) -> [UInt8] {
    let name = if let keyID { keyID } else { try RecordsHeader(body).keyName }
    switch try record(name) {
    case .records(let key): return try key.open(body)
    case .webPush(let key): return try key.open(body)
    case .legacyWebPush, .jwe: throw .failed
    }
  }

  /// Opens content in the older coding of Web Push.
  /// - Throws: `DecryptingError.keyUnknown`, `.failed`.
  package func open(_ message: LegacyWebPushMessage, keyID: String) throws(DecryptingError) -> [UInt8] {
    guard case .legacyWebPush(let key) = try record(keyID) else { throw .failed }
    return try message.open(with: key)
  }

  /// Opens a JWE in the compact serialization.
  /// - Parameter keyID: what the payload calls the key, which the header must call the same if it names one;
  ///   nil if only the header does.
  /// - Throws: `DecryptingError.keyUnknown`, `.failed`.
  package func open(jwe text: String, keyID: String?) throws(DecryptingError) -> [UInt8] {
    let message = try JWEMessage(compact: text)
    let header = try JWEHeader(json: message.header)
    guard let name = keyID ?? header.keyID else { throw .keyUnknown }
    guard case .jwe(let key) = try record(name), header.keyID ?? name == name else { throw .failed }
    return try key.open(message, header: header)
  }

  /// The key of a media file that names a key of this ring.
  /// - Throws: `DecryptingError.keyUnknown`; `.failed` for a key that is not for media.
  package func fileKey(_ keyID: String) throws(DecryptingError) -> FileKey {
    guard case .records(let key) = try record(keyID) else { throw .failed }
    return .records(key)
  }

  /// A reader for a file in the `aes128gcm` coding, which names its key itself.
  ///
  /// It fails with `DecryptingError.keyUnknown` for a key that is not in this ring.
  package func makeDecryptor(pieceBytes: Int = MediaDecryptor.defaultPieceBytes) -> MediaDecryptor {
    MediaDecryptor(
      RecordsDecryptor(pieceBytes: pieceBytes) { (header) throws(DecryptingError) in
        guard case .records(let key) = try record(header.keyName) else { throw .failed }
        return key
      })
  }

  /// - Throws: `DecryptingError.keyUnknown`.
  package func record(_ name: String) throws(DecryptingError) -> KeyRecord {
    guard let record = records[name] else { throw .keyUnknown }
    return record
  }
}

extension RecordsHeader {
  /// - Throws: `DecryptingError.keyUnknown` if there is none.
  fileprivate var keyName: String {
    get throws(DecryptingError) {
      guard !keyID.isEmpty, let text = String(validating: keyID, as: UTF8.self) else { throw .keyUnknown }
      return text
    }
  }
}
