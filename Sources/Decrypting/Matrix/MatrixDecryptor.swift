internal import Supporting

/// Reads a Matrix attachment: AES-256 in counter mode, vouched for by the SHA-256 of the ciphertext, at its
/// very end.
struct MatrixDecryptor: MediaFormatDecryptor, ~Copyable {
  private let expected: [UInt8]
  private var cipher: CipherContext
  private var digest: SHA256
  private var output: PlaintextBuffer

  init(_ key: MatrixKey, pieceBytes: Int) throws(DecryptingError) {
    let cipher = try CipherContext(.aes256CTR, .decrypting, key: key.key, iv: key.iv.span)
    let digest = try OpenSSL.check(SHA256())
    expected = key.sha256
    self.cipher = cipher
    self.digest = digest
    output = PlaintextBuffer(capacity: pieceBytes)
  }

  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError) {
    digest.update(ciphertext)
    try cipher.update(ciphertext, into: &output, sink)
  }

  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError) {
    let actual = try OpenSSL.check(digest.finish())
    guard OpenSSL.areEqual(actual.span, expected.span) else { throw .failed }
    try output.drain(into: sink)
  }
}
