extension Duration {
  /// Whole milliseconds, rounded towards zero.
  package var milliseconds: Int { Int(attoseconds / 1_000_000_000_000_000) }

  /// Whole microseconds, rounded towards zero.
  package var microseconds: Int { Int(attoseconds / 1_000_000_000_000) }
}
