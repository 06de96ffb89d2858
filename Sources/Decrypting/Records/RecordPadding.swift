/// Separates content from padding in constant memory. A record is `content | delimiter | zeros`
/// (RFC 8188 section 2). The delimiter is the last byte that is not zero: only the end reveals it.
struct RecordPadding {
  /// The last byte so far that is not zero.
  private var delimiter: UInt8?
  /// The number of zeros after `delimiter` so far.
  private var zeros = 0

  /// Appends the bytes that are certain to be content.
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

  /// Ends a record and begins the next. Returns the record's delimiter, or nil if it has none.
  mutating func endRecord() -> UInt8? {
    defer { self = RecordPadding() }
    return delimiter
  }
}
