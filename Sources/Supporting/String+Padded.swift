extension String {
  /// With spaces behind it, so that it is a column of a table.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
