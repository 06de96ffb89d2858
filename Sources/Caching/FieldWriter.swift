/// Writes numbers and texts, one after the other.
struct FieldWriter {
  var bytes: [UInt8] = []

  mutating func number(_ number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// - Parameter text: a longer one than `CacheEntry.maximumText` is left out.
  mutating func text(_ text: String?) {
    guard let text, text.utf8.count <= CacheEntry.maximumText else { return bytes.append(.max) }
    bytes.append(UInt8(text.utf8.count))
    bytes += Array(text.utf8)
  }
}

/// Reads what `FieldWriter` has written, and zeros behind the end.
struct FieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func number() -> UInt64 {
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Nil for a text that was left out.
  mutating func text() -> String? {
    guard let count = rest.popFirst(), Int(count) <= CacheEntry.maximumText else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
  }
}
