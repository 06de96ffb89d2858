import TestSupport
import Testing

@testable import Notifications

/// Messages of strangers that would take long to search. A message has at most 64 KB.
@Suite("Hostile messages")
struct EnvelopeBoundsTests {
  private static func repeated(_ text: (Int) -> String, _ open: String, _ close: String) -> String {
    var result = open
    for index in 0... {
      let next = text(index)
      if result.utf8.count + next.utf8.count + close.utf8.count > 65_000 { break }
      result += (index == 0 ? "" : ",") + next
    }
    return result + close
  }

  private static let messages: [(String, String)] = [
    ("strings of JSON", repeated({ #""\#($0)":"{\"a\":\"[{}]\"}""# }, "{", "}")),
    ("objects", repeated({ #""\#($0)":{"a":{}}"# }, "{", "}")),
    ("arrays", repeated({ _ in "[[],[]]" }, "[", "]")),
    ("half a message each", repeated({ _ in #"{"to":1}"# }, "[", "]")),
    ("broken payloads", repeated({ _ in #""{\"aps\":""# }, "[", "]")),
    ("one broken payload of many words", repeated({ _ in "x" }, #"{"a":"{\"aps"#, #""}"#)),
    ("twice encoded", repeated({ _ in #""\"{\\\"a\\\":\\\"{}\\\"}\"""# }, "[", "]")),
    ("strings that only look like JSON", repeated({ _ in #""{""# }, "[", "]")),
    ("one long name", repeated({ _ in "{}" }, #"{"\#(String(repeating: "n", count: 30_000))":["#, "]}")),
    (
      "sixteen long names",
      repeated(
        { _ in "{}" }, (0..<16).map { _ in #"{"\#(String(repeating: "n", count: 99))":"# }.joined() + "[",
        "]" + String(repeating: "}", count: 16))
    ),
    ("deep arrays", String(repeating: "[", count: 500) + String(repeating: "]", count: 500)),
    ("members of a name that counts", repeated({ _ in #""message":{}"# }, "{", "}")),
    ("payloads", repeated({ #""\#($0)":{"aps":{}}"# }, "{", "}")),
    ("platforms", repeated({ _ in #""APNS":"{}""# }, "{", "}")),
  ]

  @Test("are searched in milliseconds", arguments: messages.map { $0.0 })
  func time(name: String) throws {
    let message = try #require(Self.messages.first { $0.0 == name }?.1)
    // 5 times at most 50 ms in a debug build.
    let time = cpuTime { for _ in 0..<5 { _ = try? PushMessage(Array(message.utf8)) } }
    #expect(time < .seconds(3))
  }

  @Test("with long names are not searched below them") func names() throws {
    func message(_ count: Int) throws -> PushMessage {
      try PushMessage(Array(#"{"\#(String(repeating: "n", count: count))":{"aps":{}}}"#.utf8))
    }
    #expect(try message(98).payloads.count == 1)
    #expect(try message(99).payloads.isEmpty)
  }

  @Test("with a payload behind 1000 others are not searched for it") func places() throws {
    let others = Array(repeating: "{}", count: 1_000).joined(separator: ",")
    #expect(try PushMessage(Array(#"{"a":[\#(others),{"aps":{}}]}"#.utf8)).payloads.isEmpty)
  }

  @Test("have at most 100 named places, each of them once") func named() throws {
    func message(_ count: Int) throws -> PushMessage {
      let all = Array(repeating: #"{"aps":{}}"#, count: count).joined(separator: ",")
      let keys = try [MediaKey("a.*"), MediaKey("a.0")]
      return try PushMessage(Array(#"{"a":[\#(all)]}"#.utf8), .places(keys))
    }
    #expect(try message(100).payloads.count == 100)
    #expect(try message(101).problem == .tooMany)
  }

  @Test("with a hundred envelopes of a hundred payloads at named places end at the limit") func envelopes()
    throws
  {
    let payload = #"{"platform":1,"title":""}"#
    let envelope = "{\"notifications\":[\(Array(repeating: payload, count: 25).joined(separator: ","))]}"
    let all = Array(repeating: envelope, count: 90).joined(separator: ",")
    let bytes = Array("[\(all)]".utf8)
    #expect(bytes.count < Payload.maximumLength)
    let keys = try [MediaKey("*"), MediaKey("*.notifications.*"), MediaKey("0")]
    #expect(try PushMessage(bytes, .places(keys)).problem == .tooMany)
    let time = cpuTime { for _ in 0..<5 { _ = try? PushMessage(bytes, .places(keys)) } }
    #expect(time < .seconds(3))
  }

  @Test("with long names are not searched below them for an asterisk") func longNames() throws {
    func message(_ count: Int) throws -> PushMessage {
      let name = String(repeating: "n", count: count)
      let all = Array(repeating: #"{"aps":{}}"#, count: 100).joined(separator: ",")
      return try PushMessage(Array(#"{"\#(name)":[\#(all)]}"#.utf8), .places([MediaKey("*.*")]))
    }
    #expect(try message(998).payloads.count == 100)
    #expect(try message(999).problem == .nothingAt(["*.*"]))
  }
}
