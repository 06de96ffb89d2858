/// Content stands in a payload, so it is opened as a whole in memory.
enum ContentLimit {
  /// Octets of ciphertext, and characters of a JWE, at most: what a payload may have.
  static let octets = 65_536
}
