extension String {
  /// Whether it has at most 30 combining marks in a row: the Stream-Safe Text Format (UAX #15
  /// section 13). `String` sorts the marks in quadratic time for each comparison: 0.5 s for 64 KB.
  package var isStreamSafe: Bool {
    if utf8Span.isKnownASCII { return true }
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.isNonStarter ? marks + 1 : 0
      if marks > 30 { return false }
    }
    return true
  }
}

extension Unicode.Scalar {
  /// Whether normalizing may move the scalar (UAX #15, "non-starter decompositions").
  fileprivate var isNonStarter: Bool {
    switch value {
    case 0..<0x300: false
    case 0xF73, 0xF75, 0xF81: true
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}
