@testable import Notifications
@testable import Queueing
import TestSupport
import Testing

@Suite("A record")
struct RecordTests {
  private func read(_ line: String) throws(RecordError) -> Message { try Message(record: Array(line.utf8)) }

  @Test(
    "has an id, headers in their order, and the bytes of its body",
    arguments: [
      (
        Message(id: "a", body: Array("{ \"n\":1.0e2,\"n\":\"\\u00e9\\ud800\" }".utf8)),
        #"{"id":"a","headers":{},"body":{ "n":1.0e2,"n":"\u00e9\ud800" }}"#
      ),
      (
        Message(id: "é\"", body: [], headers: [Header("b", "2"), Header("a", "\"\n")]),
        #"{"id":"é\"","headers":{"b":"2","a":"\"\n"},"body":""}"#
      ),
      (
        Message(id: "a", body: Array("{\"n\":\r\n1}\n".utf8)),
        #"{"id":"a","headers":{},"body":"{\"n\":\r\n1}\n"}"#
      ),
      (Message(id: "a", body: Array("{\"n\":\r1}".utf8)), #"{"id":"a","headers":{},"body":"{\"n\":\r1}"}"#),
      (Message(id: "a", body: Array(" {}".utf8)), #"{"id":"a","headers":{},"body":" {}"}"#),
      (Message(id: "a", body: Array("{}}".utf8)), #"{"id":"a","headers":{},"body":"{}}"}"#),
      (Message(id: "a", body: Array("[1]".utf8)), #"{"id":"a","headers":{},"body":"[1]"}"#),
      (
        Message(id: "a", body: [0] + Array("x\u{8}\t\u{c}456789abcdef".utf8)),
        #"{"id":"a","headers":{},"body":"\u0000x\b\t\f456789abcdef"}"#
      ),
      (Message(id: "a", body: [0]), #"{"id":"a","headers":{},"body":"AA==","encoding":"base64"}"#),
      (Message(id: "a", body: [0xFF]), #"{"id":"a","headers":{},"body":"/w==","encoding":"base64"}"#),
      (
        Message(id: "a", body: [0x7B, 0xFF, 0x7D]),
        #"{"id":"a","headers":{},"body":"e/99","encoding":"base64"}"#
      ),
      (
        Message(
          id: "a", body: [], headers: [Header("x", "1"), Header("x", "2"), Header("y", "3"), Header("x", "")]),
        #"{"id":"a","headers":{"x":["1","2"],"y":"3","x":""},"body":""}"#
      ),
      (
        Message(id: "a", body: [], headers: [Header("\u{e9}", "1"), Header("e\u{301}", "2")]),
        "{\"id\":\"a\",\"headers\":{\"\u{e9}\":\"1\",\"e\u{301}\":\"2\"},\"body\":\"\"}"
      ),
    ])
  func line(message: Message, line: String) throws {
    #expect(message.record == Array("\(line)\n".utf8))
    #expect(MessageBytes(try read(line)) == MessageBytes(message))
  }

  @Test("may be spelled otherwise")
  func spellings() throws {
    let line =
      #" { "body" : "\u00e9" , "headers" : { "n" : 10 , "x" : [ "1" , true , -2.50 ] , "none" : [] } , "\u0069d" : "\u0061" } "#
    let headers = [Header("n", "10"), Header("x", "1"), Header("x", "true"), Header("x", "-2.50")]
    #expect(try read(line) == Message(id: "a", body: Array("é".utf8), headers: headers))
    for digits in ["_-8", "_-8=", "/+8", "/+8="] {
      #expect(try read(#"{"body":"\#(digits)","encoding":"base64"}"#).body == [0xFF, 0xEF])
    }
    #expect(try read(#"{"body":[ {} ]}"#).body == Array("[ {} ]".utf8))
  }

  @Test("gets an id if it has none", arguments: ["", #""id":null,"#, #""id":"","#])
  func withoutID(member: String) throws {
    let line = #"{\#(member)"headers":null,"encoding":null,"body":{}}"#
    let ids = [try read(line).id, try read(line).id]
    #expect(ids[0].count == 32)
    #expect(ids[0] != ids[1])
  }

  @Test("has a body that is nested as deeply as a payload may be")
  func depth() throws {
    func body(_ depth: Int) -> [UInt8] {
      Array(
        (#"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}")
          .utf8)
    }
    let deepest = Message(id: "a", body: body(Payload.maximumDepth))
    #expect(deepest.record.starts(with: #"{"id":"a","headers":{},"body":{"#.utf8))
    #expect(try Message(record: deepest.record.dropLast()) == deepest)
    let deeper = Message(id: "a", body: body(Payload.maximumDepth + 1))
    #expect(deeper.record.starts(with: #"{"id":"a","headers":{},"body":"{"#.utf8))
    #expect(try Message(record: deeper.record.dropLast()) == deeper)
  }

  @Test(
    "is refused with what is wrong with it",
    arguments: [
      ("x", .notJSON(.unexpected(0x78, JSONPosition(offset: 0, line: 1, column: 1), expected: .value))),
      ("[]", .notAnObject(.array)), ("1", .notAnObject(.number)),
      (#"{"aps":{}}"#, .unknownMember("aps")), (#"{"body":{},"header":{}}"#, .unknownMember("header")),
      (#"{"body":{},"Body":{}}"#, .unknownMember("Body")),
      (#"{"body":{},"b\u006fdy":{}}"#, .repeatedMember("body")),
      (#"{"id":"a","id":"b"}"#, .repeatedMember("id")),
      (#"{"id":"a"}"#, .noBody), (#"{"body":null}"#, .noBody), ("{}", .noBody),
      (#"{"body":1}"#, .wrongKind("body", .number, expected: "an object or a string")),
      (
        #"{"body":{},"encoding":"base64"}"#,
        .wrongKind("body", .object, expected: "a string, because of its encoding,")
      ),
      (#"{"body":"","encoding":"gzip"}"#, .unknownEncoding("gzip")),
      (#"{"body":"","encoding":1}"#, .wrongKind("encoding", .number, expected: "a string")),
      (#"{"body":"a","encoding":"base64"}"#, .notBase64),
      (#"{"body":"/w=\n","encoding":"base64"}"#, .notBase64),
      (#"{"body":"\ud83d"}"#, .notText("body")), (#"{"body":{},"id":"\udc00"}"#, .notText("id")),
      (#"{"body":{},"headers":{"\ud83d":"1"}}"#, .notText("name of a header")),
      (#"{"body":{},"headers":{"a":"\ud83d"}}"#, .notText("header 'a'")),
      (#"{"body":{},"headers":{"a":null}}"#, .wrongKind("header 'a'", .null, expected: "a string")),
      (#"{"body":{},"headers":{"a":["1",[]]}}"#, .wrongKind("header 'a'", .array, expected: "a string")),
      (#"{"body":{},"headers":{"a":{}}}"#, .wrongKind("header 'a'", .object, expected: "a string")),
      (#"{"body":{},"headers":{"":"1"}}"#, .headerName),
      ("{\"body\":{},\"headers\":{\"a\(String(repeating: "\u{301}", count: 31))\":\"1\"}}", .headerName),
      (#"{"body":{},"headers":[]}"#, .wrongKind("headers", .array, expected: "an object")),
      (#"{"body":{},"id":1}"#, .wrongKind("id", .number, expected: "a string")),
    ] as [(String, RecordError)])
  func wrong(line: String, error: RecordError) {
    #expect(throws: error) { try read(line) }
  }

  @Test("has headers of 256 KiB at most, at 32 bytes for each and its text") func mostHeaders() throws {
    func line(_ count: Int) -> String {
      let headers = (0..<count).map { _ in #""n":"v""# }.joined(separator: ",")
      return #"{"headers":{\#(headers)},"body":{}}"#
    }
    #expect(try read(line(262_144 / 34)).headers.count == 7_710)
    #expect(throws: RecordError.headersTooLong(maximum: 262_144)) { try read(line(7_711)) }
    let list = repeatElement(#""v""#, count: 7_711).joined(separator: ",")
    #expect(throws: RecordError.headersTooLong(maximum: 262_144)) {
      try read(#"{"headers":{"n":[\#(list)]},"body":{}}"#)
    }
  }

  @Test("keeps the case, the order and the duplicates of headers, in an object or in a list") func headers()
    throws
  {
    let line =
      #"{"id":"a","headers":{"APNS-Topic":"1","apns-topic":["2","3"],"x":"4","apns-topic":"5"},"body":{}}"#
    let message = try read(line)
    #expect(message.headers.map(\.name) == ["APNS-Topic", "apns-topic", "apns-topic", "x", "apns-topic"])
    #expect(message.headers.map(\.value) == ["1", "2", "3", "4", "5"])
    #expect(message.record == Array("\(line)\n".utf8))
    let repeated =
      #"{"id":"a","headers":{"APNS-Topic":"1","apns-topic":"2","apns-topic":"3","x":4,"apns-topic":"5"},"body":{}}"#
    #expect(try read(repeated) == message)
  }

  @Test(
    "that is hostile is refused soon",
    arguments: [
      (#"{"body":"# + String(repeating: "[", count: 500_000), "it is not JSON: "),
      (#"{"headers":"# + String(repeating: #"{"a":"#, count: 100_000), "it is not JSON: "),
      (
        #"{"headers":{"a":"# + String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
          + #"},"body":{}}"#,
        "its header 'a' is a list; write a string there"
      ),
      ("{\"body\":\"\0\"}", "it is not JSON: column 10 (byte 9): "),
      ("\0", "it is not JSON: column 1 (byte 0): "),
      ("\u{FEFF}{\"body\":{}}", "it is not JSON: "),
      (#"{"body":{}}{"body":{}}"#, "it is not JSON: column 12 (byte 11): "),
      (#"{"body":{}"#, "it is not JSON: "), (#"{"body":"a"#, "it is not JSON: "),
      (#"{"body":"\ud800\ud800"}"#, "its body has half of a surrogate pair"),
      (#"{"\ud800":1}"#, "a record has id, headers, body and encoding, but not '\u{FFFD}'"),
      (
        "{\"" + String(repeating: "e\u{301}", count: 100_000) + "\":1}",
        "a record has id, headers, body and encoding, but not "
      ),
      (String(repeating: " ", count: 524_289), "it is longer than 512 KiB"),
      (String(repeating: #"{"body":{},"#, count: 40_000), "it is not JSON: "),
      (
        "{" + String(repeating: #""body":{},"#, count: 40_000) + #""id":1}"#,
        "it has more than one body; write one"
      ),
    ])
  func hostile(line: String, says: String) {
    let start = ContinuousClock.now
    let error = #expect(throws: RecordError.self) { try read(line) }
    #expect(error?.description.hasPrefix(says) == true, "\(error?.description.prefix(200) ?? "")")
    // It takes milliseconds, but tests share the machine.
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test("has bytes that are not UTF-8 only in base64") func notUTF8() {
    let line = Array(#"{"body":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
    let error = #expect(throws: RecordError.self) { try Message(record: line) }
    #expect(error?.description.hasPrefix("it is not JSON: ") == true)
  }

  @Test("may be longer if it is only moved, and takes every message that a queue hands out") func moved()
    throws
  {
    let header = Header("h", String(repeating: "\u{1}", count: 262_000))
    let body = [UInt8](repeating: 0, count: MessageLimits.maximumBatchSize)
    let id = String(repeating: "\n", count: 262_000)
    let message = Message(id: id, body: body, headers: [header])
    let maximum = Message.maximumMovedRecordLength
    #expect(
      try MessageBytes(Message(record: message.record.dropLast(), maximumLength: maximum))
        == MessageBytes(message))
    // Base64 writes four bytes for three. The rest of the line has 54 bytes.
    #expect(Message(id: "a", body: body).record.count == (body.count + 2) / 3 * 4 + 54)
    let many = Message(id: "a", body: [], headers: (0..<60_000).map { _ in Header("n", "") })
    #expect(try Message(record: many.record.dropLast(), maximumLength: maximum) == many)
  }

  @Test("has at most 512 KiB, so that its index is small") func longest() throws {
    func line(_ length: Int) -> [UInt8] {
      Array((#"{"body":"# + String(repeating: " ", count: length - 11) + "{}}").utf8)
    }
    #expect(try Message(record: line(524_288)).body == Array("{}".utf8))
    #expect(throws: RecordError.notJSON(.tooLong(length: 524_289, maximum: 524_288))) {
      try Message(record: line(524_289))
    }
  }

  @Test(
    "errors say what to do",
    arguments: [
      (
        #"{"body":x}"#,
        #"it is not JSON: column 9 (byte 8): found “x”, expected a value; write one line like {"id":"…","headers":{…},"body":{…}}"#
      ),
      (
        #"{"aps":{}}"#,
        "a record has id, headers, body and encoding, but not 'aps'; a payload goes into body; leave out --records (or write - instead of records:-) if the lines are payloads"
      ),
      (#"{"body":{},"id":1}"#, "its id is a number; write a string there"),
    ])
  func message(line: String, says: String) {
    let error = #expect(throws: RecordError.self) { try read(line) }
    #expect(error?.description == says)
  }

  @Test("keeps random messages byte for byte, in a line that other programs can read")
  func random() throws {
    var random = SeededGenerator(seed: 55)
    for _ in 0..<3_000 {
      let message = Message.random(using: &random)
      let line = message.record
      #expect(line.last == 0x0A)
      #expect(!line.dropLast().contains { $0 == 0x0A || $0 == 0x0D })
      #expect(MessageBytes(try Message(record: line.dropLast())) == MessageBytes(message))
    }
  }

  @Test("with random errors is read or refused")
  func damaged() {
    var random = SeededGenerator(seed: 56)
    for _ in 0..<3_000 {
      var line = Array(Message.random(using: &random).record.dropLast())
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<line.count, using: &random)
        let end = min(line.count, index + Int.random(in: 0...3, using: &random))
        let bytes = Array(#"{}[]",:\u0"#.utf8) + [0xFF, 0]
        line.replaceSubrange(index..<end, with: [bytes.randomElement(using: &random) ?? 0])
      }
      guard let message = try? Message(record: line) else { continue }
      #expect(
        MessageBytes((try? Message(record: message.record.dropLast())) ?? Message(body: []))
          == MessageBytes(message))
    }
  }
}
