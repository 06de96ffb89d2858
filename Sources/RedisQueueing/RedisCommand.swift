/// A command for Redis.
enum RedisCommand: Sendable, Equatable {
  /// A command and its arguments, any bytes each.
  case words([[UInt8]])
  /// A script, the keys that it uses, and its further arguments.
  case script(RedisScript, keys: [String], [[UInt8]])

  init(_ words: String...) { self = .words(words.map { Array($0.utf8) }) }

  /// Appends it to `bytes` as a RESP array of strings.
  /// - Parameter digests: names of the scripts that Redis has loaded. Others are sent as text.
  func write(to bytes: inout [UInt8], digests: [RedisScript: String]) {
    switch self {
    case .words(let words): Self.write(words, to: &bytes)
    case .script(let script, let keys, let arguments):
      let front = digests[script].map { ["EVALSHA", $0] } ?? ["EVAL", script.text]
      Self.write((front + ["\(keys.count)"] + keys).map { Array($0.utf8) } + arguments, to: &bytes)
    }
  }

  private static func write(_ words: [[UInt8]], to bytes: inout [UInt8]) {
    bytes += "*\(words.count)\r\n".utf8
    for word in words {
      bytes += "$\(word.count)\r\n".utf8
      bytes += word
      bytes += "\r\n".utf8
    }
  }
}
