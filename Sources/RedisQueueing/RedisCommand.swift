internal import Queueing

/// An atomic step, see `Scripts`. Redis runs nothing else during it, and a crash undoes all of it.
final class RedisScript: Sendable {
  static let all = [
    receive, release, settle, forgets, backlog, tidy, sign, postpone, due, openPushes, savePushes,
  ]

  let text: String

  init(_ text: String) { self.text = text }
}

/// A Redis command. Each word is written as a RESP string at once: with a list of words, allocating
/// them took a third of the time that this process spends on Redis.
struct RedisCommand: Sendable {
  /// Nil if the words are the whole command rather than arguments of a script.
  private let script: RedisScript?
  private var count = 0
  private var bytes: [UInt8] = []

  init(_ words: String...) { self.init(words: words) }
  /// - Parameter size: the approximate size of the words to be appended, in bytes.
  init(words: [String], size: Int = 0) { self.init(nil, words, size: size) }

  /// - Parameter size: the approximate size of the arguments to be appended, in bytes.
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

  /// Appends the bytes that a `ByteEscapedText` stands for.
  mutating func append(escaped word: String) {
    if word.utf8Span.isKnownASCII { append(word.utf8) } else { append(ByteEscapedText.bytes(word)) }
  }

  /// The maximum size in bytes if Redis has loaded the script.
  var size: Int { bytes.count + 96 }

  /// Appends the command to `output` as a RESP array of strings.
  /// - Parameter digests: the names of the scripts that Redis has loaded.
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
  /// Appends a number in decimal digits and a line break.
  fileprivate mutating func appendLine(_ number: Int) {
    self += String(number).utf8
    self += "\r\n".utf8
  }
}
