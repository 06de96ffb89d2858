/// The keys of a key file by name. A name decides both key and format. No other key or format is tried, so
/// that an incomplete message cannot pass for a simpler one. Unknown names throw `.keyUnknown`.
package struct KeyRing: Sendable {
  private let records: [String: KeyRecord]

  package init(_ records: [String: KeyRecord] = [:]) { self.records = records }

  package var isEmpty: Bool { records.isEmpty }

  /// Opens content in the `aes128gcm` coding, or as Web Push if the key's record says so.
  /// - Parameter keyID: the payload's name for the key; nil if only the body has it (Apple's
  ///   `ENCRYPTED_DATA`).
  package func open(aes128gcm body: [UInt8], keyID: String?) throws(DecryptingError) -> [UInt8] {
    let name = if let keyID { keyID } else { try RecordsHeader(body).keyName() }
    switch try record(name) {
    case .records(let key): return try key.open(body)
    case .webPush(let key): return try key.open(body)
    case .legacyWebPush, .jwe, .bark: throw .failed
    }
  }

  /// Opens Web Push from a relay. A server may have switched from the older coding to `aes128gcm` and kept the keys
  /// that the app gave it. So keys for either coding open `aes128gcm`. Only keys for `aesgcm` open the older coding.
  package func open(relayed body: [UInt8], keyID: String) throws(DecryptingError) -> [UInt8] {
    switch try record(keyID) {
    case .webPush(let key), .legacyWebPush(let key): try key.open(body)
    case .records, .jwe, .bark: throw .failed
    }
  }

  /// The only key of the format `bark`, because its messages do not name a key. Nil if there is no such key.
  /// Throws `keyAmbiguous` if there are several.
  package func barkKey() throws(DecryptingError) -> (name: String, key: BarkKey)? {
    var found: (name: String, key: BarkKey)?
    for (name, record) in records {
      guard case .bark(let key) = record else { continue }
      if found != nil { throw .keyAmbiguous(format: "bark") }
      found = (name, key)
    }
    return found
  }

  package func open(_ message: LegacyWebPushMessage, keyID: String) throws(DecryptingError) -> [UInt8] {
    guard case .legacyWebPush(let key) = try record(keyID) else { throw .failed }
    return try message.open(with: key)
  }

  /// Opens a JWE in the compact serialization.
  /// - Parameter keyID: the payload's name for the key, if any. A name in the header must be equal.
  package func open(jwe text: String, keyID: String?) throws(DecryptingError) -> [UInt8] {
    let message = try JWEMessage(compact: text)
    let header = try JWEHeader(json: message.header)
    guard let name = keyID ?? header.keyID else { throw .keyUnknown }
    guard case .jwe(let key) = try record(name), header.keyID ?? name == name else { throw .failed }
    return try key.open(message, header: header)
  }

  package func fileKey(_ keyID: String) throws(DecryptingError) -> FileKey { .records(try recordsKey(keyID)) }

  /// A decryptor for a file in the `aes128gcm` coding. The file's header names the key.
  package func makeDecryptor(pieceBytes: Int = MediaDecryptor.defaultPieceBytes) -> MediaDecryptor {
    MediaDecryptor(
      RecordsDecryptor(pieceBytes: pieceBytes) { header throws(DecryptingError) in
        try recordsKey(header.keyName())
      })
  }

  private func recordsKey(_ name: String) throws(DecryptingError) -> RecordsKey {
    guard case .records(let key) = try record(name) else { throw .failed }
    return key
  }

  package func record(_ name: String) throws(DecryptingError) -> KeyRecord {
    guard let record = records[name] else { throw .keyUnknown }
    return record
  }
}

extension RecordsHeader {
  fileprivate func keyName() throws(DecryptingError) -> String {
    guard !keyID.isEmpty, let text = String(validating: keyID, as: UTF8.self) else { throw .keyUnknown }
    return text
  }
}
