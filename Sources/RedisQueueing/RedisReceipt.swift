internal import Supporting

/// Identifies a hand-out: its entry, its consumer, and its delivery count.
struct RedisReceipt {
  /// The id of the entry in the stream: `MILLISECONDS-NUMBER`.
  let entry: String
  let consumer: String
  let count: Int

  var text: String { "\(entry)/\(consumer)/\(count)" }

  /// As arguments of a script.
  var words: [String] { [entry, consumer, "\(count)"] }
}

extension RedisReceipt {
  /// - Returns: nil for text that is not a valid receipt, which Redis would not accept.
  init?(_ text: String) {
    // As bytes: to split it by characters took as long as all that Redis is sent for a message.
    let bytes = Array(text.utf8)
    let slash = UInt8(ascii: "/")
    guard let first = bytes.firstIndex(of: slash), let last = bytes.lastIndex(of: slash), first < last,
      !bytes[(first + 1)..<last].contains(slash),
      let dash = bytes[..<first].firstIndex(of: UInt8(ascii: "-"))
    else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    func isNumber(_ range: Range<Int>) -> Bool {
      // UInt64 would take a sign as well.
      bytes[range].allSatisfy(\.isASCIIDigit) && UInt64(part(range)) != nil
    }
    guard let count = Int(part((last + 1)..<bytes.count)), isNumber(0..<dash), isNumber((dash + 1)..<first)
    else { return nil }
    self.init(entry: part(0..<first), consumer: part((first + 1)..<last), count: count)
  }
}
