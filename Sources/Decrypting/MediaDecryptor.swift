/// Decrypts one file as a stream, in constant memory. The plaintext is not verified until `finish`
/// returns, so write it to a file that has no name until then.
package struct MediaDecryptor: ~Copyable {
  /// The size of the pieces that a transfer delivers.
  package static let defaultPieceBytes = 16_384

  private var format: any MediaFormatDecryptor & ~Copyable
  private var isUsable = true

  init(_ format: consuming any MediaFormatDecryptor & ~Copyable) { self.format = format }

  /// Takes a piece of ciphertext of any size. Passes plaintext to `sink` in any number of pieces.
  /// - Throws: `.sink` if `sink` throws, otherwise `.decrypting`. After that, every call fails.
  package mutating func update<SinkError: Error>(
    _ ciphertext: Span<UInt8>, _ sink: (Span<UInt8>) throws(SinkError) -> Void
  ) throws(MediaDecryptionError<SinkError>) {
    try pass(ciphertext, sink)
  }

  /// Passes the rest of the plaintext to `sink`. Call it when the ciphertext is complete.
  /// - Throws: `.decrypting` unless every byte is authentic and none is missing; `.sink` if `sink` throws.
  package consuming func finish<SinkError: Error>(
    _ sink: (Span<UInt8>) throws(SinkError) -> Void
  ) throws(MediaDecryptionError<SinkError>) {
    try pass(nil, sink)
  }

  /// Formats can throw only `DecryptingError`, so `refusal` carries an error of `sink` past them.
  private mutating func pass<SinkError: Error>(
    _ ciphertext: Span<UInt8>?, _ sink: (Span<UInt8>) throws(SinkError) -> Void
  ) throws(MediaDecryptionError<SinkError>) {
    guard isUsable else { throw .decrypting(.failed) }
    isUsable = false
    var refusal: SinkError?
    func write(_ plaintext: Span<UInt8>) throws(DecryptingError) {
      do throws(SinkError) {
        try sink(plaintext)
      } catch {
        refusal = error
        throw .failed
      }
    }
    do throws(DecryptingError) {
      if let ciphertext { try format.update(ciphertext, write) } else { try format.finish(write) }
    } catch {
      if let refusal { throw .sink(refusal) }
      throw .decrypting(error)
    }
    isUsable = true
  }
}

/// What each format implements. `MediaDecryptor` makes no calls after an error or after `finish`.
protocol MediaFormatDecryptor: ~Copyable {
  mutating func update(_ ciphertext: Span<UInt8>, _ sink: PlaintextSink) throws(DecryptingError)
  /// Throws unless the whole ciphertext is authentic.
  mutating func finish(_ sink: PlaintextSink) throws(DecryptingError)
}

package enum MediaDecryptionError<SinkError: Error>: Error {
  case decrypting(DecryptingError)
  case sink(SinkError)
}

extension MediaDecryptionError: Equatable where SinkError: Equatable {}
