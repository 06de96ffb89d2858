extension Duration {
  /// Whole milliseconds, rounded towards zero.
  package var milliseconds: Int {
    Int(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
  }

  /// Whole microseconds, rounded towards zero.
  package var microseconds: Int {
    Int(components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000)
  }
}
