/// Identifies a hand-out: its entry, its consumer, and its delivery count.
struct RedisReceipt {
  /// The id of the entry in the stream: `MILLISECONDS-NUMBER`.
  let entry: String
  let consumer: String
  let count: Int

  var text: String { "\(entry)/\(consumer)/\(count)" }

  /// As arguments of a script.
  var words: [[UInt8]] { [entry, consumer, "\(count)"].map { Array($0.utf8) } }

  init(entry: String, consumer: String, count: Int) {
    self.entry = entry
    self.consumer = consumer
    self.count = count
  }

  /// - Returns: nil for text that is not a valid receipt, which Redis would not accept.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let count = Int(parts[2]) else { return nil }
    let numbers = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers.allSatisfy({ UInt64($0) != nil }) else { return nil }
    self.init(entry: String(parts[0]), consumer: String(parts[1]), count: count)
  }
}
