/// One file on its way from ciphertext to plaintext, in constant memory whatever its size.
///
/// What comes out is not verified before `finish` returns: it belongs into a file without a name, which may
/// get one then.
package struct MediaDecryptor: ~Copyable {
  /// As large as the pieces in which a transfer delivers.
  package static let defaultPieceBytes = 16_384

  private var format: any MediaFormatDecryptor & ~Copyable
  private var isUsable = true

  init(_ format: consuming any MediaFormatDecryptor & ~Copyable) { self.format = format }

  /// Takes the next piece of ciphertext, of any size, and gives `sink` what can be decrypted of it: in no,
  /// one or many pieces.
  /// - Throws: `.sink` with what `sink` throws, else `.decrypting`. Every later call fails then.
  package mutating func update<SinkError: Error>(
    _ ciphertext: Span<UInt8>, _ sink: (Span<UInt8>) throws(SinkError) -> Void
  ) throws(MediaDecryptionError<SinkError>) {
    guard isUsable else { throw .decrypting(.failed) }
    isUsable = false
    var refusal: SinkError?
    do throws(DecryptingError) {
      try format.update(ciphertext) { (plaintext) throws(DecryptingError) in
        try Self.pass(plaintext, to: sink, &refusal)
      }
    } catch {
      throw MediaDecryptionError(error, refusal)
    }
    isUsable = true
  }

  /// To be called when the transport says that the ciphertext is complete. Gives `sink` what was left.
  /// - Throws: `.decrypting` unless every octet is authentic and none is missing; `.sink` as `update` does.
  package consuming func finish<SinkError: Error>(
    _ sink: (Span<UInt8>) throws(SinkError) -> Void
  ) throws(MediaDecryptionError<SinkError>) {
    guard isUsable else { throw .decrypting(.failed) }
    var refusal: SinkError?
    do throws(DecryptingError) {
      try format.finish { (plaintext) throws(DecryptingError) in
        try Self.pass(plaintext, to: sink, &refusal)
      }
    } catch {
      throw MediaDecryptionError(error, refusal)
    }
  }

  /// The formats know one error only: what else `sink` throws goes round them.
  private static func pass<SinkError: Error>(
    _ plaintext: Span<UInt8>, to sink: (Span<UInt8>) throws(SinkError) -> Void, _ refusal: inout SinkError?
  ) throws(DecryptingError) {
    do throws(SinkError) {
      try sink(plaintext)
    } catch {
      refusal = error
      throw .failed
    }
  }
}

/// What each format does, called by `MediaDecryptor` alone: not again after an error, nor after `finish`.
protocol MediaFormatDecryptor: ~Copyable {
  /// - Throws: what `sink` throws; `DecryptingError.failed`.
  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError)

  /// - Throws: `DecryptingError.failed` unless all of the ciphertext is authentic; what `sink` throws.
  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError)
}

/// Either side's reason why a file was not decrypted.
package enum MediaDecryptionError<SinkError: Error>: Error {
  case decrypting(DecryptingError)
  /// The sink did not take the plaintext.
  case sink(SinkError)

  fileprivate init(_ error: DecryptingError, _ refusal: SinkError?) {
    self = refusal.map { .sink($0) } ?? .decrypting(error)
  }
}

extension MediaDecryptionError: Equatable where SinkError: Equatable {}
