extension Duration {
  // Whole numbers, rounded towards zero.
  package var milliseconds: Int { Int(attoseconds / 1_000_000_000_000_000) }
  package var microseconds: Int { Int(attoseconds / 1_000_000_000_000) }
}
