enum DecryptingLimits {
  /// The most bytes of ciphertext, or characters of a JWE, in a payload. All are opened in memory.
  static let contentBytes = 65_536
}

/// Why something was not decrypted. It tells senders and logs nothing more about what went wrong.
package enum DecryptingError: Error, Equatable {
  case keyUnknown
  /// The message names no key, and several keys have its format.
  case keyAmbiguous(format: String)
  /// The ciphertext, its key or what accompanies them is wrong. None of the plaintext may be used.
  case failed
  /// A member that the others need is missing.
  case incomplete(missing: String, beside: String)
  /// The mode of the cipher lets anybody change the content: CBC or ECB.
  case unauthenticated(mode: String)
  /// A `KeyRecord` could not be made. `expected` tells the author of the key file what would have been right.
  case keyInvalid(expected: String)
  /// `SelfTest` failed: OpenSSL contradicts the documents that define `primitive`.
  case answersOtherwise(primitive: String)
}
