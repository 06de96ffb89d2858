/// Identifies a hand-out: the number of the message's row, and 64 random bits, new with each hand-out.
struct Receipt {
  let text: String

  init(of number: Int64) { text = "\(number)-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))" }

  /// The number of the message; 0, which no message has, for text that is not a valid receipt.
  static func number(_ text: String) -> Int64 { text.split(separator: "-").first.flatMap { Int64($0) } ?? 0 }
}
