extension CipherContext {
  /// Writes what becomes of `input`, of any length, behind what is in `output`, and makes room with `sink`
  /// whenever there is none.
  mutating func update(
    _ input: Span<UInt8>, into output: inout PlaintextBuffer, _ sink: PlaintextSink
  ) throws(DecryptingError) {
    var rest = input
    while !rest.isEmpty {
      if output.room <= Cipher.blockCount { try output.drain(into: sink) }
      let piece = rest.extracting(first: min(rest.count, output.room - Cipher.blockCount))
      try update(piece, into: &output)
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }
}
