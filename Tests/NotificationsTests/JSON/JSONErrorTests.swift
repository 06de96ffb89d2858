import Testing

@testable import Notifications

@Suite struct JSONErrorTests {
  static func position(_ offset: Int, _ line: Int, _ column: Int) -> JSONPosition {
    JSONPosition(offset: offset, line: line, column: column)
  }

  @Test(
    arguments: [
      ("", .unexpected(nil, position(0, 1, 1), expected: .value)),
      (" \n ", .unexpected(nil, position(3, 2, 2), expected: .value)),
      ("[1", .unexpected(nil, position(2, 1, 3), expected: .commaOrBracket)),
      ("[1,]", .unexpected(UInt8(ascii: "]"), position(3, 1, 4), expected: .value)),
      ("[}", .unexpected(UInt8(ascii: "}"), position(1, 1, 2), expected: .valueOrBracket)),
      ("{1", .unexpected(UInt8(ascii: "1"), position(1, 1, 2), expected: .nameOrBrace)),
      ("{\"a\" 1", .unexpected(UInt8(ascii: "1"), position(5, 1, 6), expected: .colon)),
      ("{\"a\":1]", .unexpected(UInt8(ascii: "]"), position(6, 1, 7), expected: .commaOrBrace)),
      ("{\"a\":1,}", .unexpected(UInt8(ascii: "}"), position(7, 1, 8), expected: .name)),
      ("{}\r\nx", .unexpected(UInt8(ascii: "x"), position(4, 2, 1), expected: .endOfText)),
      ("[nul]", .unexpected(UInt8(ascii: "]"), position(4, 1, 5), expected: .literal)),
      ("-x", .unexpected(UInt8(ascii: "x"), position(1, 1, 2), expected: .digit)),
      ("1.", .unexpected(nil, position(2, 1, 3), expected: .digit)),
      ("01", .unexpected(UInt8(ascii: "1"), position(1, 1, 2), expected: .endOfText)),
      ("\"ü", .unexpected(nil, position(3, 1, 3), expected: .closingQuote)),
      ("\"\\x", .unexpected(UInt8(ascii: "x"), position(2, 1, 3), expected: .escape)),
      ("\"\\", .unexpected(nil, position(2, 1, 3), expected: .escape)),
      ("\"\\u12g", .unexpected(UInt8(ascii: "g"), position(5, 1, 6), expected: .hexadecimalDigit)),
      ("\"\n", .unexpected(0x0A, position(1, 1, 2), expected: .escapedControlCharacter)),
      ("\u{FEFF}{}", .byteOrderMark),
    ] as [(String, JSONError)])
  func errors(text: String, error: JSONError) {
    #expect(throws: error) { try JSONDocument(Array(text.utf8)) }
  }

  @Test(
    arguments: [
      [0x80], [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x22], [0xE0, 0x9F, 0xBF],
      [0xED, 0xA0, 0x80],
      [0xE2, 0x82], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
      [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func notUTF8(sequence: [UInt8]) {
    let bytes = Array("[\"ü".utf8) + sequence + Array("\"]".utf8)
    #expect(throws: JSONError.invalidUTF8(Self.position(4, 1, 4))) { try JSONDocument(bytes) }
  }

  @Test(
    arguments: [
      [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
      [0xEF, 0xBF, 0xBF],
      [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
    ] as [[UInt8]])
  func theEdgesOfUTF8(sequence: [UInt8]) throws {
    let document = try JSONDocument([0x22] + sequence + [0x22])
    #expect(document.root.string.map { Array($0.utf8) } == sequence)
  }

  @Test(arguments: [
    ("{\"a\":\n tru }", "line 2, column 5 (byte 10): found byte 0x20, expected true, false or null"),
    ("[1 2]", "line 1, column 4 (byte 3): found “2”, expected “,” or “]”"),
    ("[", "line 1, column 2 (byte 1): found the end of the text, expected a value or “]”"),
    (
      "[\"\u{1}\"]",
      #"line 1, column 3 (byte 2): found byte 0x01, expected a control character as an escape, such as \n"#
    ),
  ])
  func descriptions(text: String, description: String) {
    let error = #expect(throws: JSONError.self) { try JSONDocument(Array(text.utf8)) }
    #expect(error?.description == description)
  }

  @Test func otherDescriptions() {
    #expect(
      "\(JSONError.tooLong(length: 70_000, maximum: 65_536))"
        == "70,000 bytes of JSON, at most 64 KiB are read"
    )
    #expect(
      "\(JSONError.tooDeep(Self.position(128, 1, 129), maximum: 128))"
        == "line 1, column 129 (byte 128): more than 128 arrays and objects inside each other")
    #expect(
      "\(JSONError.invalidUTF8(Self.position(3, 1, 3)))" == "line 1, column 3 (byte 3): not valid UTF-8")
    #expect("\(JSONError.byteOrderMark)".contains("byte order mark"))
  }
}
