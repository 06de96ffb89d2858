internal import Queueing

/// What has to happen at once or not at all: Redis runs nothing else while it runs a script, and a crash undoes all
/// of one. The folder `Scripts` has each of them, with the function that makes the command for it.
final class RedisScript: Sendable {
  static let all = [receive, release, settle, forgets, backlog, tidy, sign]

  let text: String

  init(_ text: String) { self.text = text }
}

/// A command for Redis: its words as RESP strings, one behind the other. They are written as they come up: a list of
/// them would be an allocation for each, and took a third of what Redis costs this process.
struct RedisCommand: Sendable {
  /// What the words are for; nil if they are the whole command.
  private let script: RedisScript?
  private var count = 0
  private var bytes: [UInt8] = []

  init(_ words: String...) { self.init(words: words) }

  /// - Parameter size: of further words, in bytes, about.
  init(words: [String], size: Int = 0) {
    script = nil
    bytes.reserveCapacity(size + 64)
    for word in words { append(word) }
  }

  /// - Parameter size: of further arguments, in bytes, about.
  init(_ script: RedisScript, keys: [String], _ arguments: [String] = [], size: Int = 256) {
    self.script = script
    bytes.reserveCapacity(size + 64)
    for word in ["\(keys.count)"] + keys + arguments { append(word) }
  }

  mutating func append(_ word: some Collection<UInt8>) {
    count += 1
    bytes.append(UInt8(ascii: "$"))
    bytes.appendLine(word.count)
    bytes.append(contentsOf: word)
    bytes += "\r\n".utf8
  }

  mutating func append(_ word: String) { append(word.utf8) }

  /// A word whose bytes may stand for others (`ByteEscapedText`).
  mutating func append(escaped word: String) {
    if word.utf8Span.isKnownASCII { append(word.utf8) } else { append(ByteEscapedText.bytes(word)) }
  }

  /// Room for it as a RESP array if Redis has its script, in bytes.
  var size: Int { bytes.count + 96 }

  /// Appends it to `output` as a RESP array of strings.
  /// - Parameter digests: names of the scripts that Redis has loaded. Others are sent as text.
  func write(to output: inout [UInt8], digests: [ObjectIdentifier: String]) {
    let digest = script.flatMap { digests[ObjectIdentifier($0)] }
    let front = script.map { script in
      RedisCommand(words: [digest == nil ? "EVAL" : "EVALSHA", digest ?? script.text])
    }
    output.append(UInt8(ascii: "*"))
    output.appendLine((front?.count ?? 0) + count)
    if let front { output += front.bytes }
    output += bytes
  }
}

extension [UInt8] {
  /// Appends a number in decimal digits, and the end of the line.
  fileprivate mutating func appendLine(_ number: Int) {
    self += String(number).utf8
    self += "\r\n".utf8
  }
}
