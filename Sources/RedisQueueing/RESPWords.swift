internal import Queueing

/// Words of a command, as RESP strings one behind the other. Written where they come up: a list of them would be
/// an allocation for each, and took a third of what Redis costs this process.
struct RESPWords: Sendable, Equatable {
  private(set) var count = 0
  private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: in bytes, what there is room for without a move.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// A word may be of any bytes.
  mutating func append(_ word: some Collection<UInt8>) {
    count += 1
    bytes.append(UInt8(ascii: "$"))
    bytes.append(decimal: word.count)
    bytes.appendLineEnd()
    bytes.append(contentsOf: word)
    bytes.appendLineEnd()
  }

  mutating func append(_ word: String) { append(word.utf8) }

  mutating func append(_ number: Int) { append("\(number)") }

  /// A word whose bytes may stand for others (`ByteEscapedText`).
  mutating func append(escaped word: String) {
    if word.utf8Span.isKnownASCII { append(word.utf8) } else { append(ByteEscapedText.bytes(word)) }
  }
}

extension [UInt8] {
  /// Appends the digits of `number`, which is not negative.
  mutating func append(decimal number: Int) {
    if number >= 10 { append(decimal: number / 10) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  mutating func appendLineEnd() {
    append(UInt8(ascii: "\r"))
    append(UInt8(ascii: "\n"))
  }
}
