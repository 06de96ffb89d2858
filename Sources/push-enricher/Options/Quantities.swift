/// A number of bytes as people write it: `12MB`, `5MiB`, `800kB`, `65536`.
enum ByteCount {
  private static let units: [(suffix: String, factor: Double)] = [
    ("kib", 1_024), ("mib", 1_048_576), ("gib", 1_073_741_824),
    ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("b", 1), ("", 1),
  ]

  /// - Throws: `OptionError`, with what would be right.
  static func parse(_ text: String) throws(OptionError) -> Int {
    let unit = units.first { text.lowercased().hasSuffix($0.suffix) } ?? ("", 1)
    let number = text.dropLast(unit.suffix.count)
    guard let value = Double(number), value.isFinite, value >= 0, value * unit.factor < 1e15 else {
      throw OptionError("'\(text)' is no number of bytes: write one like 12MB, 5MiB or 65536")
    }
    return Int(value * unit.factor)
  }
}

/// A time as people write it: `30s`, `1500ms`, `2.5s`.
enum TimeSpan {
  /// - Throws: `OptionError`, with what would be right.
  static func parse(_ text: String) throws(OptionError) -> Duration {
    let (number, factor) =
      text.hasSuffix("ms")
      ? (text.dropLast(2), 1.0) : text.hasSuffix("s") ? (text.dropLast(), 1_000) : ("", 0)
    guard let value = Double(number), value > 0, value * factor < 1e9 else {
      throw OptionError("'\(text)' is no time: write one like 30s or 1500ms")
    }
    return .microseconds(Int(value * factor * 1_000))
  }
}

/// A long time as people write it: `30d`, `12h`, `90m`, `3600s`.
enum Age {
  private static let units: [Character: Int] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]

  /// - Returns: whole seconds.
  /// - Throws: `OptionError`, with what would be right.
  static func parse(_ text: String) throws(OptionError) -> Int {
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
      0...1_000_000_000 ~= number
    else {
      throw OptionError("'\(text)' is no time: write one like 30d, 12h or 90m")
    }
    return number * unit
  }
}
