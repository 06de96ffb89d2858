internal import Enriching

extension Parse {
  private static let sizes: [(suffix: String, factor: Double)] = [
    ("kib", 1_024), ("mib", 1_048_576), ("gib", 1_073_741_824),
    ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("b", 1), ("", 1),
  ]
  private static let ages: [Character: Int] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]

  /// Reads `12MB`, `5MiB`, `800kB` or `65536`.
  static func bytes(_ text: String) throws(CommandError) -> Int {
    let unit = sizes.first { text.lowercased().hasSuffix($0.suffix) } ?? ("", 1)
    let number = Double(text.dropLast(unit.suffix.count))
    guard let number, number.isFinite, number >= 0, number * unit.factor < 1e15 else {
      throw CommandError("'\(text)' is not a number of bytes: write one like 12MB, 5MiB or 65536")
    }
    return Int(number * unit.factor)
  }

  /// Reads `50M`, `800k` or `12000000`.
  static func pixels(_ text: String) throws(CommandError) -> Int {
    let factor = ["k": 1_000.0, "m": 1_000_000, "g": 1_000_000_000][text.suffix(1).lowercased()]
    let number = Double(factor == nil ? text[...] : text.dropLast())
    guard let number, number.isFinite, number * (factor ?? 1) >= 1, number * (factor ?? 1) < 1e15 else {
      throw CommandError("'\(text)' is not a number of pixels: write one like 50M or 12000000")
    }
    return Int(number * (factor ?? 1))
  }

  /// Accepts 0, or a size that has room for at least some entries.
  static func cacheSize(_ text: String) throws(CommandError) -> Int {
    let bytes = try bytes(text)
    let least = EnrichmentSettings.leastCacheBytes
    guard bytes == 0 || bytes >= least else {
      throw CommandError("'\(text)' is too small for a cache: write \(least) or more, or 0 for none")
    }
    return bytes
  }

  /// Reads `30s`, `1500ms` or `2.5s`.
  static func time(_ text: String) throws(CommandError) -> Duration {
    let (number, factor) =
      text.hasSuffix("ms")
      ? (text.dropLast(2), 1.0) : text.hasSuffix("s") ? (text.dropLast(), 1_000) : ("", 0)
    guard let value = Double(number), value > 0, value * factor < 1e9 else {
      throw CommandError("'\(text)' is not a time: write one like 30s or 1500ms")
    }
    return .microseconds(Int(value * factor * 1_000))
  }

  static func waitingTime(_ text: String) throws(CommandError) -> Duration {
    ["0", "0s"].contains(text) ? .zero : try time(text)
  }

  static func deadline(_ text: String) throws(CommandError) -> Duration {
    let deadline = try time(text)
    guard deadline <= Deadline.maximum else {
      throw CommandError("'\(text)' is longer than the 30s that iOS gives: write 30s or less")
    }
    return deadline
  }

  /// Reads `30d`, `12h`, `90m` or `3600s` as whole seconds.
  static func age(_ text: String) throws(CommandError) -> Int {
    guard let unit = text.last.flatMap({ ages[$0] }), let number = Int(text.dropLast()),
      0...1_000_000_000 ~= number
    else { throw CommandError("'\(text)' is not a time: write one like 30d, 12h or 90m") }
    return number * unit
  }
}
