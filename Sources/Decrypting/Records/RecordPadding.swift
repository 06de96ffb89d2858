/// Tells the content of a record from its padding (RFC 8188 section 2), `content | delimiter | zeros`, in
/// constant memory. The last byte that is not zero is the delimiter, which only the end of the record shows.
struct RecordPadding {
  /// The last byte so far that is not zero.
  private var delimiter: UInt8?
  /// Zeros after it so far.
  private var zeros = 0

  /// Passes on the bytes that are certainly content.
  mutating func remove(
    from padded: borrowing PlaintextBuffer, into output: inout PlaintextBuffer, _ sink: PlaintextSink
  ) throws(DecryptingError) {
    try padded.withSpan { (padded) throws(DecryptingError) in
      var end = padded.count
      while end > 0, padded[end - 1] == 0 { end -= 1 }
      if end > 0 {
        if let delimiter { try output.append(delimiter, sink) }
        try output.append(0, times: zeros, sink)
        try output.append(padded.extracting(first: end - 1), sink)
        delimiter = padded[end - 1]
        zeros = 0
      }
      zeros += padded.count - end
    }
  }

  /// Returns the delimiter of the record that ends here, or nil if it has none, and begins the next record.
  mutating func endRecord() -> UInt8? {
    defer { self = RecordPadding() }
    return delimiter
  }
}
