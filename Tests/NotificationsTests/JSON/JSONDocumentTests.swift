import Testing

@testable import Notifications

@Suite struct JSONDocumentTests {
  static func document(_ text: String) throws(JSONError) -> JSONDocument {
    try JSONDocument(Array(text.utf8))
  }

  @Test func valuesOfEachKind() throws {
    let root = try Self.document(#" {"a":[1,"x",true,false,null,{}], "b":-0.5e1} "#).root
    #expect(root.kind == .object)
    #expect(root["a"]?.elements.map(\.kind) == [.number, .string, .boolean, .boolean, .null, .object])
    #expect(root["a"]?.elements.map(\.spelling) == ["1", #""x""#, "true", "false", "null", "{}"])
    #expect(root["a"]?.elements.compactMap(\.bool) == [true, false])
    #expect(root["b"]?.number == -5)
    #expect(root["b"]?.integer == nil)
    #expect(root["b"]?.spelling == "-0.5e1")
    #expect(root["c"] == nil)
    #expect(root.members.map(\.name) == ["a", "b"])
  }

  @Test func noValueHasWhatItIsNot() throws {
    let root = try Self.document(#"["1",1,[1],{"a":1}]"#).root
    let (text, number) = try (#require(root[0]), #require(root[1]))
    let (array, object) = try (#require(root[2]), #require(root[3]))
    #expect(root[4] == nil && root[-1] == nil)
    #expect(text.number == nil && text.integer == nil && text.bool == nil && text["a"] == nil)
    #expect(number.string == nil && Array(number.elements).isEmpty && Array(number.members).isEmpty)
    #expect(array["0"] == nil && Array(array.members).isEmpty)
    #expect(Array(object.elements).isEmpty && object.string == nil)
  }

  /// Text is read in pieces.
  @Test func textOfEachLength() throws {
    for length in 0...200 {
      let text = String(repeating: "x", count: length)
      for (middle, decoded) in [("", ""), (#"\n"#, "\n"), ("é", "é"), (#"\\"#, #"\"#)] {
        let root = try Self.document(#"["\#(text)\#(middle)\#(text)",1]"#).root
        #expect(root[0]?.string == text + decoded + text)
        #expect(root[1]?.integer == 1)
      }
      #expect(throws: JSONError.self) { try Self.document("[\"\(text)\u{1F}\(text)\"]") }
      #expect(throws: JSONError.self) {
        try JSONDocument(Array(#"["\#(text)"#.utf8) + [0xFF] + Array(#"\#(text)"]"#.utf8))
      }
    }
  }

  @Test(arguments: [0, 3, 7, 40, 170]) func textWithEachCharacter(before length: Int) {
    for byte in UInt8(0)...0x7F {
      let text = Array(repeating: UInt8(ascii: "x"), count: length) + [byte] + Array("yyyyyyyyy".utf8)
      let value = try? JSONDocument(Array("[\"".utf8) + text + Array("\"]".utf8)).root[0]?.utf8
      let isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      #expect(value.map { Array($0) } == (isPlain ? text : nil))
    }
  }

  @Test(arguments: [0, 1, 28, 29, 30, 31, 32, 33, 34, 100, 5_000]) func arraysOfEachLength(count: Int) throws
  {
    let root = try Self.document("[\(Array(repeating: "[]", count: count).joined(separator: ","))]").root
    #expect(root.elements.count { $0.kind == .array } == count)
  }

  @Test func ofMembersWithOneNameTheLastCounts() throws {
    let root = try Self.document(#"{"a":1,"b":{"a":2},"\u0061":{"a":3},"b":4}"#).root
    #expect(root["a"]?["a"]?.integer == 3)
    #expect(root["b"]?.integer == 4)
    #expect(root.members.count { $0.isNamed("a") } == 2)
  }

  @Test func namesAreComparedByteForByte() throws {
    let root = try Self.document("{\"caf\u{65}\u{301}\":1}").root
    #expect(root["caf\u{E9}"] == nil)
    #expect(root["cafe\u{301}"]?.integer == 1)
  }

  @Test(arguments: [
    ("", "", true), ("ab", "abc", false), ("abcd", "abc", false), (#"a\u0062c"#, "abc", true),
    (#"abc\u0064"#, "abc", false), (#"abc\u0064"#, "abcd", true), (#"a\\nb"#, #"a\nb"#, true),
    (#"a\nb"#, #"a\nb"#, false), (#"a\nb"#, "a\nb", true),
  ])
  func namesAreComparedWithoutTheirEscapes(spelling: String, name: String, isNamed: Bool) throws {
    let root = try Self.document(#"{"\#(spelling)":1}"#).root
    #expect((root[name] != nil) == isNamed)
    #expect(root.members.first { _ in true }?.isNamed(name) == isNamed)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u00e9\u00E9""#, "éé"),
    (#""\ud83d\ude00!""#, "😀!"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\ud83d""#, "\u{FFFD}"),
    (#""\ud83dx""#, "\u{FFFD}x"), (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
    (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\u0000""#, "\0"),
    (#""\ud83d\u0041""#, "\u{FFFD}A"), ("\"Grüße 😀\"", "Grüße 😀"),
  ])
  func strings(spelling: String, text: String) throws {
    let value = try Self.document(spelling).root
    #expect(value.string.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("1E2", 100), ("0.1", 0.1), ("1e-400", 0), ("1e400", nil), ("-1e400", nil),
      ("18446744073709551616", 0x1p64),
    ] as [(String, Double?)])
  func numbers(spelling: String, number: Double?) throws {
    let value = try Self.document(spelling).root
    #expect(value.number == number)
    #expect(value.spelling == spelling)
  }

  @Test func integersThatDoNotFitAreNone() throws {
    #expect(try Self.document("9223372036854775807").root.integer == .max)
    #expect(try Self.document("9223372036854775808").root.integer == nil)
  }

  /// `String` would take seconds to compare them (UAX #15 section 13).
  @Test(
    arguments: ["\u{301}", "\u{344}", "\u{F73}"], [30, 31])
  func textsOfManyMarksAreNoWords(mark: String, count: Int) throws {
    let text = "e" + String(repeating: mark, count: count)
    let root = try Self.document(#"{"\#(text)":["\#(text)"]}"#).root
    let member = try #require(root.members.first { _ in true })
    #expect(member.name.utf8.elementsEqual((count > 30 ? "" : text).utf8))
    #expect(member.value[0]?.string.map { Array($0.utf8) } == (count > 30 ? nil : Array(text.utf8)))
    #expect(member.value[0]?.utf8.map { Array($0) } == Array(text.utf8))
    #expect(root[text] != nil)
  }

  @Test func positionsOfValues() throws {
    let root = try Self.document("{\n \"ü\": [\n  1, 2]}").root
    let two = try #require(root["ü"]?[1])
    let position = JSONPosition(offset: two.range.lowerBound, in: two.document.bytes)
    #expect(position == JSONPosition(offset: 16, line: 3, column: 6))
    #expect(root["ü"]?.range == 9..<18)
    #expect(root.range == 0..<19)
  }

  @Test func depthIsBounded() throws {
    let nested = String(repeating: "[", count: 3) + String(repeating: "]", count: 3)
    let bytes = Array(nested.utf8)
    #expect(throws: Never.self) { try JSONDocument(bytes, maximumDepth: 3) }
    #expect(throws: JSONError.tooDeep(JSONPosition(offset: 2, line: 1, column: 3), maximum: 2)) {
      try JSONDocument(bytes, maximumDepth: 2)
    }
  }

  @Test func lengthIsBounded() {
    #expect(throws: Never.self) { try JSONDocument(Array("[12]".utf8), maximumLength: 4) }
    #expect(throws: JSONError.tooLong(length: 4, maximum: 3)) {
      try JSONDocument(Array("[12]".utf8), maximumLength: 3)
    }
  }
}
