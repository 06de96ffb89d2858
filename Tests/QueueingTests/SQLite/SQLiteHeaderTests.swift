import BuiltInQueueing
@testable import Queueing
import TestSupport
import Testing

/// Headers that other programs have written into the file.
@Suite("SQLite: headers", .timeLimit(.minutes(5)))
struct SQLiteHeaderTests {
  /// Text that SQLite accepts, as an SQL expression, and the resulting headers: names, and values
  /// as bytes.
  struct Case: Sendable {
    let sql: String
    let headers: [(String, [UInt8])]

    init(_ sql: String, _ headers: (String, [UInt8])...) {
      self.sql = sql
      self.headers = headers
    }
  }

  private static let token = ("token", Array("a".utf8))

  static let cases = [
    Case(#"CAST(x'7B2261223A22FF222C22746F6B656E223A2261227D' AS TEXT)"#, ("a", [0xFF]), token),
    Case(
      #"CAST(x'7B2261223A224180F48FBABF222C22746F6B656E223A2261227D' AS TEXT)"#,
      ("a", [0x41, 0x80, 0xF4, 0x8F, 0xBA, 0xBF]), token),
    Case(
      #"'{"a":' || replace(hex(zeroblob(900)), '00', '[') || replace(hex(zeroblob(900)), '00', ']') || ',"token":"a"}'"#,
      ("a", [UInt8](repeating: 0x5B, count: 900) + [UInt8](repeating: 0x5D, count: 900)), token),
    Case(
      #"'{"\ud83d":"\uDE00x\ud83d\ud83d","token":"a"}'"#,
      ("\u{10FEED}\u{10FEA0}\u{10FEBD}", [0xED, 0xB8, 0x80, 0x78, 0xED, 0xA0, 0xBD, 0xED, 0xA0, 0xBD]), token),
    Case(
      #"'{"a":"\\ud83d \ud83d\ude00 \u00e9","token":"a"}'"#, ("a", Array("\\ud83d \u{1F600} é".utf8)), token),
    Case(
      #"'{"a":{"b":"\ud83d"},"token":"a"}'"#,
      ("a", Array(#"{"b":""#.utf8) + [0xED, 0xA0, 0xBD] + Array(#""}"#.utf8)), token),
  ]

  @Test("pass through unchanged, whatever their bytes", arguments: cases)
  func odd(example: Case) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let source = try Queues().open("sqlite:\(path)?queue=a", defaultQueue: "x")
      let target = try Queues().open("sqlite:\(path)?queue=b", defaultQueue: "x")
      var shell = try SQLiteConnection(path: path)
      try shell.execute("INSERT INTO message (queue, body, headers) VALUES ('a', x'00', \(example.sql))")
      let delivery = try await source.next()
      let expected = example.headers.map { (Array($0.0.utf8), $0.1) }
      #expect(bytes(delivery.message).elementsEqual(expected, by: ==))
      try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])

      let browsed = try #require(try await target.browse(1).first)
      #expect(bytes(browsed).elementsEqual(expected, by: ==))
      #expect(try shell.value("SELECT headers ->> 'token' FROM message") == "a")
      #expect(try shell.value("SELECT instr(headers, char(0xFFFD)) FROM message") == "0")
    }
  }

  @Test("come as one header if they cannot be parsed")
  func unreadable() {
    #expect(HeaderText.read("{a:1}") == [Header("unreadable-headers", "{a:1}")])
    #expect(HeaderText.read("{}") == [])
    #expect(HeaderText.read(" { } ") == [])
  }

  @Test("keep half of a surrogate pair as the escape that it was")
  func surrogates() {
    let text = #"{"a":"\ud83d","b":"x\udfff\ud800\ud800"}"#
    #expect(HeaderText.write(HeaderText.read(text)) == text)
  }

  /// Names as they are in a message, and values as bytes.
  private func bytes(_ message: Message) -> [([UInt8], [UInt8])] {
    message.headers.map { (Array($0.name.utf8), ByteEscapedText.bytes($0.value)) }
  }
}
