/// Encrypts content and media in the `aes128gcm` coding (RFC 8188).
package struct RecordsSealer: ~Copyable {
  private let header: RecordsHeader
  private var schedule: RecordSchedule

  /// - Parameters:
  ///   - recordSize: the length of a record including its tag, at least 18 bytes.
  ///   - salt: 16 bytes, used only once with a key; by default random.
  ///   - keyID: the name in the header; by default the one that `key` expects there.
  package init(
    _ key: RecordsKey, recordSize: Int = 4_096, salt: [UInt8]? = nil, keyID: [UInt8]? = nil
  ) throws(DecryptingError) {
    let salt = if let salt { salt } else { try OpenSSL.randomBytes(16) }
    let header = try RecordsHeader(salt: salt, recordSize: recordSize, keyID: keyID ?? key.keyID ?? [])
    schedule = try key.schedule(salt: salt.span)
    self.header = header
  }

  /// - Parameter padding: the zeros after each delimiter. Limited so that a byte of content fits.
  package consuming func seal(_ plaintext: Span<UInt8>, padding: Int = 0) throws(DecryptingError) -> [UInt8] {
    let room = header.recordSize - Cipher.tagCount - 1
    let padding = min(max(0, padding), room - 1)
    var body = header.bytes
    var rest = plaintext
    while true {
      let content = rest.extracting(first: min(rest.count, room - padding))
      rest = rest.extracting(droppingFirst: content.count)
      body += try record(content, delimiter: rest.isEmpty ? 2 : 1, padding: padding)
      if rest.isEmpty { return body }
    }
  }

  mutating func record(
    _ content: Span<UInt8>, delimiter: UInt8, padding: Int
  ) throws(DecryptingError) -> [UInt8] {
    var padded: [UInt8] = []
    padded.append(contentsOf: content)
    padded += [delimiter] + repeatElement(0, count: padding)
    let record = try CipherContext.encrypt(padded.span, .aes128GCM, key: schedule.key, iv: schedule.nonce)
    try schedule.advance()
    return record
  }
}
