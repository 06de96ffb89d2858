internal import Enriching
internal import Supporting

extension Parse {
  private static let sizes: [(suffix: String, factor: Double)] = [
    ("kib", 1_024), ("mib", 1_048_576), ("gib", 1_073_741_824),
    ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("b", 1), ("", 1),
  ]
  private static let ages: [Character: Int] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]

  /// Reads `12MB`, `5MiB`, `800kB` or `65536`.
  static func bytes(_ text: String) throws(CommandError) -> Int {
    let unit = sizes.first { text.lowercased().hasSuffix($0.suffix) } ?? ("", 1)
    guard let number = decimal(text.dropLast(unit.suffix.count)), number * unit.factor < 1e15 else {
      throw CommandError(
        "'\(text)' is not a number of bytes: write one like 12MB, 5MiB or 65536; the units are B, kB, MB, GB, KiB, MiB and GiB"
      )
    }
    return Int(number * unit.factor)
  }

  /// Reads the maximum size of a file, which is at most 1 GB. A larger file would not arrive within the deadline.
  static func fileSize(_ text: String) throws(CommandError) -> Int {
    let bytes = try bytes(text)
    guard 1...1_000_000_000 ~= bytes else {
      throw CommandError("'\(text)' is not the size of a file: write one from 1B to 1GB, like 10MB")
    }
    return bytes
  }

  /// Reads `50M`, `1.5M`, `800k` or `12000000` as a whole number.
  static func pixels(_ text: String) throws(CommandError) -> Int {
    let factor = ["k": 1_000.0, "m": 1_000_000, "g": 1_000_000_000][text.suffix(1).lowercased()]
    let number = decimal(factor == nil ? text[...] : text.dropLast()).map { $0 * (factor ?? 1) }
    // 76.7k is 76,700, although a Double has no 76.7.
    guard let number, 1..<1e15 ~= number, abs(number - number.rounded()) < 1e-6 else {
      throw CommandError("'\(text)' is not a number of pixels: write a whole one like 50M or 12000000")
    }
    return Int(number.rounded())
  }

  /// Reads digits, perhaps with a dot between them. `Double` also takes `0x10`, `1e3` and `-1`.
  private static func decimal(_ text: Substring) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }) else {
      return nil
    }
    return Double(text)
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
    guard let value = decimal(number), value * factor < 1e9 else {
      throw CommandError("'\(text)' is not a time: write one like 30s or 1500ms")
    }
    let microseconds = Int(value * factor * 1_000)
    guard microseconds > 0 else {
      throw CommandError("'\(text)' is too short: write more than 0, like 30s or 1500ms")
    }
    return .microseconds(microseconds)
  }

  static func waitingTime(_ text: String) throws(CommandError) -> Duration {
    ["0", "0s", "0ms"].contains(text) ? .zero : try time(text)
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
