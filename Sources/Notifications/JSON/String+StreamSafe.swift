extension String {
  /// Whether it has no more than 30 combining marks in a row: the Stream-Safe Text Format (UAX #15 section
  /// 13), to which the texts of all languages keep.
  ///
  /// For each comparison and each hash, `String` sorts such marks, in a time that grows with the square of
  /// their number: half a second for 64 KB.
  var isStreamSafe: Bool {
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
  /// Whether it, or its decomposition, may change places with its neighbours (UAX #15, "non-starter
  /// decompositions").
  fileprivate var isNonStarter: Bool {
    switch value {
    case 0..<0x300: false
    case 0xF73, 0xF75, 0xF81: true
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}
