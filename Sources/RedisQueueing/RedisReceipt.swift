internal import Supporting

/// Identifies a hand-out by its entry, its consumer and its delivery count.
struct RedisReceipt {
  /// The id of the entry in the stream: `MILLISECONDS-NUMBER`.
  let entry: String
  let consumer: String
  let count: Int

  var text: String { "\(entry)/\(consumer)/\(count)" }
  var words: [String] { [entry, consumer, "\(count)"] }
}

extension RedisReceipt {
  /// Nil if Redis would not accept the text.
  init?(_ text: String) {
    // Splitting by characters took as long as composing everything that Redis is sent for a message.
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 3, let count = Int(Substring(parts[2])) else { return nil }
    let numbers = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    // UInt64 would accept a sign.
    guard numbers.count == 2,
      numbers.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) && UInt64(Substring($0)) != nil })
    else { return nil }
    self.init(entry: String(Substring(parts[0])), consumer: String(Substring(parts[1])), count: count)
  }
}
