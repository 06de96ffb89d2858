internal import Queueing

/// A step that happens at once or not at all: Redis runs nothing else while it runs a script, and a crash undoes all of
/// it. The folder `Scripts` has them.
final class RedisScript: Sendable {
  static let all = [receive, release, settle, forgets, backlog, tidy, sign]

  let text: String

  init(_ text: String) { self.text = text }
}

/// A command for Redis. Its words are written as RESP strings as they come up: a list of words would be an allocation
/// for each, and took a third of the time that Redis costs this process.
struct RedisCommand: Sendable {
  /// Nil if the words are the whole command, and not the arguments of a script.
  private let script: RedisScript?
  private var count = 0
  private var bytes: [UInt8] = []

  init(_ words: String...) { self.init(words: words) }
  /// - Parameter size: of further words, in bytes, about.
  init(words: [String], size: Int = 0) { self.init(nil, words, size: size) }

  /// - Parameter size: of further arguments, in bytes, about.
  init(_ script: RedisScript, keys: [String], _ arguments: [String] = [], size: Int = 256) {
    self.init(script, ["\(keys.count)"] + keys + arguments, size: size)
  }

  private init(_ script: RedisScript?, _ words: [String], size: Int) {
    self.script = script
    bytes.reserveCapacity(size + 64)
    for word in words { append(word) }
  }

  mutating func append(_ word: some Collection<UInt8>) {
    count += 1
    bytes.append(UInt8(ascii: "$"))
    bytes.appendLine(word.count)
    bytes.append(contentsOf: word)
    bytes += "\r\n".utf8
  }

  mutating func append(_ word: String) { append(word.utf8) }

  /// Appends a `ByteEscapedText`.
  mutating func append(escaped word: String) {
    if word.utf8Span.isKnownASCII { append(word.utf8) } else { append(ByteEscapedText.bytes(word)) }
  }

  /// The most bytes that it takes if Redis has its script.
  var size: Int { bytes.count + 96 }

  /// Appends it to `output` as a RESP array of strings.
  /// - Parameter digests: names of the scripts that Redis has loaded.
  func write(to output: inout [UInt8], digests: [ObjectIdentifier: String]) {
    let digest = script.flatMap { digests[ObjectIdentifier($0)] }
    let front = script.map { RedisCommand(digest == nil ? "EVAL" : "EVALSHA", digest ?? $0.text) }
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
