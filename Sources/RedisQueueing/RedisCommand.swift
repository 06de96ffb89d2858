/// A command for Redis.
struct RedisCommand: Sendable, Equatable {
  /// What the words are for; nil where they are the whole command.
  private let script: RedisScript?
  private let words: RESPWords

  /// - Parameter words: a command and its arguments.
  init(_ words: RESPWords) {
    script = nil
    self.words = words
  }

  init(_ words: String...) {
    var list = RESPWords()
    for word in words { list.append(word) }
    self.init(list)
  }

  /// - Parameters:
  ///   - keys: that the script uses.
  ///   - size: of its further arguments, in bytes, about.
  ///   - arguments: appends these.
  init(
    _ script: RedisScript, keys: [String], size: Int = 256, _ arguments: (inout RESPWords) -> Void = { _ in }
  ) {
    self.script = script
    var words = RESPWords(capacity: size + 64)
    words.append(keys.count)
    for key in keys { words.append(key) }
    arguments(&words)
    self.words = words
  }

  /// Room for it as a RESP array where Redis has its script, in bytes.
  var size: Int { words.bytes.count + 96 }

  /// Appends it to `bytes` as a RESP array of strings.
  /// - Parameter digests: names of the scripts that Redis has loaded. Others are sent as text.
  func write(to bytes: inout [UInt8], digests: [RedisScript: String]) {
    var front = RESPWords()
    if let script {
      if let digest = digests[script] {
        front.append("EVALSHA")
        front.append(digest)
      } else {
        front.append("EVAL")
        front.append(script.text)
      }
    }
    bytes.append(UInt8(ascii: "*"))
    bytes.append(decimal: front.count + words.count)
    bytes.appendLineEnd()
    bytes += front.bytes
    bytes += words.bytes
  }
}
