import Testing

@testable import Notifications

@Suite struct PayloadTests {
  @Test func keepsItsBytes() throws {
    let bytes = Array(" { \"a\" :1.0}\n".utf8)
    #expect(try Payload(bytes).bytes == bytes)
  }

  @Test(
    arguments: [
      ("[]", .notAnObject(.array)), ("\"{}\"", .notAnObject(.string)), ("null", .notAnObject(.null)),
      ("", .notJSON(.unexpected(nil, JSONPosition(offset: 0, line: 1, column: 1), expected: .value))),
      ("\u{FEFF}{}", .notJSON(.byteOrderMark)),
    ] as [(String, PayloadError)])
  func errors(text: String, error: PayloadError) {
    #expect(throws: error) { try Payload(Array(text.utf8)) }
  }

  @Test func lengthIsBounded() throws {
    let longest = Array("{}".utf8) + Array(repeating: 0x20, count: 65_534)
    #expect(try Payload(longest).bytes.count == 65_536)
    #expect(throws: PayloadError.notJSON(.tooLong(length: 65_537, maximum: 65_536))) {
      try Payload(longest + [0x20])
    }
  }

  @Test func depthIsBounded() throws {
    let deepest = String(repeating: "{\"a\":", count: 512) + "1" + String(repeating: "}", count: 512)
    #expect(try Payload(Array(deepest.utf8)).object["a"] != nil)
    let bytes = Array(String(repeating: "{\"a\":", count: 10_000).utf8)
    let position = JSONPosition(offset: 2_560, line: 1, column: 2_561)
    #expect(throws: PayloadError.notJSON(.tooDeep(position, maximum: 512))) { try Payload(bytes) }
  }

  @Test func descriptions() {
    #expect(
      "\(PayloadError.notAnObject(.array))"
        == "a payload is a JSON object, and this is a list without payloads in it")
    #expect(
      "\(PayloadError.notJSON(.tooLong(length: 7, maximum: 6)))"
        == "not JSON: 7 bytes of JSON, at most 6 bytes are read")
  }

  @Test func membersAreFoundInAnySpelling() throws {
    let payload = try Payload(Array(#"{"a\u0062c":null,"x":{"y":1}}"#.utf8))
    #expect(payload.object["abc"] != nil)
    #expect(payload.object["y"] == nil)
  }

  @Test func sizes() {
    #expect(PushType(rawValue: "voip")?.maximumPayloadSize == 5120)
    #expect(PushType.allCases.filter { $0 != .voip }.allSatisfy { $0.maximumPayloadSize == 4096 })
    #expect(PushType(rawValue: "fileprovider") == .fileProvider)
  }
}
