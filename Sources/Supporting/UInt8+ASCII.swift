extension UInt8 {
  /// `0` to `9`.
  @inlinable package var isASCIIDigit: Bool { 0x30...0x39 ~= self }

  /// `a` to `z`, in either case.
  @inlinable package var isASCIILetter: Bool { 0x61...0x7A ~= self | 0x20 }

  /// Letters, digits and `-._~`, which a URL has as they are (RFC 3986 section 2.3).
  @inlinable package var isUnreserved: Bool {
    switch self {
    case 0x2D, 0x2E, 0x5F, 0x7E: true
    default: isASCIILetter || isASCIIDigit
    }
  }

  /// `A` to `Z` in lower case; every other byte as it is.
  @inlinable package var lowercasedASCII: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}
