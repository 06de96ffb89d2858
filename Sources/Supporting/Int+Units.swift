extension Int {
  /// This number of bytes, easy to read but exact: `10 MB`, `64 KiB`, `10,000,001 bytes`.
  package var asBytes: String {
    let units = [("MB", 1_000_000), ("MiB", 1_048_576), ("KiB", 1_024)]
    let unit = units.first { self >= $0.1 && isMultiple(of: $0.1) }
    return unit.map { "\((self / $0.1).grouped) \($0.0)" } ?? "\(grouped) bytes"
  }

  /// Easy to read but exact: `50 million`, `20,000`.
  package var asCount: String {
    self >= 1_000_000 && isMultiple(of: 1_000_000) ? "\((self / 1_000_000).grouped) million" : grouped
  }

  /// With a comma before every three digits. Four digits need none.
  private var grouped: String {
    let digits = String(magnitude)
    guard digits.count > 4 else { return String(self) }
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }
}
