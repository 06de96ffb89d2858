extension String {
  /// Whether it has no more than 30 combining marks in a row: the Stream-Safe Text Format (UAX #15 section
  /// 13), which no text of any language comes near to leaving.
  ///
  /// For each comparison, and for each hash, `String` puts such marks in their canonical order, in a time
  /// that grows with the square of their number: half a second for 64 KB.
  var isStreamSafe: Bool {
    if utf8Span.isKnownASCII { return true }
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.isNonStarter ? marks + 1 : 0
      if marks > Self.maximumMarks { return false }
    }
    return true
  }

  private static let maximumMarks = 30
}

extension Unicode.Scalar {
  /// Whether it may change places with its neighbours, or is made of what may (UAX #15, "non-starter
  /// decompositions").
  fileprivate var isNonStarter: Bool {
    switch value {
    case 0..<0x300: false
    case 0xF73, 0xF75, 0xF81: true
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}
