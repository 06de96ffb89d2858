enum DecryptingLimits {
  /// The most bytes of ciphertext, or characters of a JWE, that a payload has. Content is opened in memory.
  static let contentBytes = 65_536
}

/// Why something was not decrypted. Neither a sender nor a log learns more about what went wrong inside.
package enum DecryptingError: Error, Equatable {
  case keyUnknown
  /// The ciphertext, its key or their surroundings are wrong. None of the plaintext may be used.
  case failed
  /// A `KeyRecord` could not be made. `expected` tells the author of the key file what would have been right.
  case keyInvalid(expected: String)
  /// `SelfTest` failed: OpenSSL and the documents that define `primitive` disagree.
  case answersOtherwise(primitive: String)
}
