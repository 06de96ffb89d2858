enum DecryptingLimits {
  /// Octets of ciphertext, and characters of a JWE, at most: what a payload may have. Content is opened as a
  /// whole in memory.
  static let contentBytes = 65_536
}

/// Why something was not decrypted. What went wrong inside is not told: neither a sender nor a log learns
/// more from it than that it did.
package enum DecryptingError: Error, Equatable {
  /// No key has this name.
  case keyUnknown
  /// The ciphertext, its key or what surrounds them is not what it should be. Nothing of the plaintext may be
  /// used.
  case failed
  /// Only from the making of a `KeyRecord`, for whoever wrote the key file. `expected` says what would have
  /// been right.
  case keyInvalid(expected: String)
  /// Only from `SelfTest`: OpenSSL does not say what the documents say that define the primitive.
  case answersOtherwise(primitive: String)
}
