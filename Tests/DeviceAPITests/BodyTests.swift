import Notifications
import PushQueueing
import Testing

@testable import DeviceAPI

@Suite("Bodies for the device API")
struct BodyTests {
  private static let right: [(String, MissedQuestion)] = [
    (#"{"app":"a","device":"d","e":1,"last":2,"count":3,"seen":4}"#, question()),
    (" {\n\"seen\":\"4\",\"count\":3,\"last\":2,\"e\":1,\"device\":\"d\",\"app\":\"a\"} ", question()),
    (
      #"{"app":"a","device":"d","e":1,"last":2,"count":3,"seen":18446744073709551615}"#, question(seen: .max)
    ),
    (
      #"{"app":"a","device":"d","e":1,"last":2,"count":3,"seen":9007199254740993}"#,
      question(seen: 9_007_199_254_740_993)
    ),
    (
      #"{"app":"a","device":"d","e":1,"last":2,"count":3,"seen":"18446744073709551615"}"#,
      question(seen: .max)
    ),
    (
      #"{"app":"x","app":"\u0061","device":"d","e":9,"e":1,"last":2,"count":3,"seen":4,"x":[{"e":0}],"y":null}"#,
      question()
    ),
    (
      #"{"app":"é 😀","device":"\ud83d\ude00","e":0,"last":9007199254740991,"count":9007199254740991,"seen":0}"#,
      question(AppDevice(app: "é 😀", device: "😀"), 0, 9_007_199_254_740_991, 9_007_199_254_740_991, seen: 0)
    ),
  ]

  private static func question(
    _ device: AppDevice = AppDevice(app: "a", device: "d"), _ e: Int64 = 1, _ last: Int64 = 2,
    _ count: Int64 = 3, seen: UInt64 = 4
  ) -> MissedQuestion { MissedQuestion(device: device, epoch: e, last: last, count: count, seen: seen) }

  @Test("are read exactly; unknown members are ignored, and of two with one name, the last one counts")
  func reading() throws {
    for (text, question) in Self.right {
      let body = try DeviceBody(Array(text.utf8))
      let asked = try body.question
      #expect(asked == question, "\(text)")
      #expect(
        body.position
          == QueuePosition(device: question.device, epoch: question.epoch, position: question.last))
      let receipt = try body.receipt
      #expect(
        receipt
          == PushReceipt(
            device: question.device, epoch: question.epoch, last: question.last, seen: question.seen,
            summarized: 0))
    }
    let text = #"{"app":"a","device":"d","e":1,"last":2,"seen":0,"summarized":5}"#
    let receipt = try DeviceBody(Array(text.utf8)).receipt
    #expect(receipt.summarized == 5)
  }

  private static let name = "has to be a string of 1 to 255 bytes without control characters"
  private static let bits =
    "has to be an integer from 0 to 18446744073709551615, or a string of its decimal digits"
  private static let (one, zero) = (
    "has to be an integer from 1 to 9007199254740991", "has to be an integer from 0 to 9007199254740991"
  )

  /// A wrong member, which replaces the right one.
  private static let wrong: [(member: String, values: [String], fault: String)] = [
    ("app", ["1", "null", "\"\"", "[\"a\"]", #""a\u0000b""#, #""\u001f""#, "\"\u{7F}\"", long(256)], name),
    ("device", ["{}", "true", "\"\"", long(256), "\"" + String(repeating: "é", count: 128) + "\""], name),
    ("e", ["-1", "1.0", "1e3", "\"1\"", "9007199254740992", "18446744073709551617", "null"], zero),
    ("last", ["0", "-1", "2.0", "\"2\"", "9007199254740992", "[]"], one),
    ("count", ["0", "-1", "1e0", "\"3\"", "99999999999999999999", "false"], one),
    (
      "seen",
      [
        "-1", "18446744073709551616", "1.0", "1e3", "\"\"", "\"0x1\"", "\"-1\"", "\"+1\"", "\" 1\"",
        "\"1.0\"",
        "\"18446744073709551616\"", "\"٣\"", "null", "true", "[1]",
      ], bits
    ),
    ("summarized", ["-1", "\"1\"", "1.5", "9007199254740992"], zero),
  ]

  private static func long(_ count: Int) -> String { "\"\(String(repeating: "x", count: count))\"" }

  @Test("say which member is wrong, and what would be right") func members() throws {
    let right = [
      "app": "\"a\"", "device": "\"d\"", "e": "1", "last": "2", "count": "3", "seen": "4", "summarized": "5",
    ]
    for (member, values, fault) in Self.wrong {
      for value in values {
        let members = right.merging([member: value]) { $1 }.map { "\"\($0)\":\($1)" }
        let text = "{\(members.joined(separator: ","))}"
        #expect(throws: BodyFault("“\(member)” \(fault)"), "\(text)") {
          let body = try DeviceBody(Array(text.utf8))
          // Only receipts have this member.
          if member == "summarized" { _ = try body.receipt } else { _ = try body.question }
        }
      }
      guard member != "summarized" else { continue }
      let rest = right.filter { $0.key != member }.map { "\"\($0)\":\($1)" }
      #expect(throws: BodyFault("“\(member)” \(fault)")) {
        try DeviceBody(Array("{\(rest.joined(separator: ","))}".utf8)).question
      }
    }
  }

  @Test(
    "that are no JSON object are refused",
    arguments: [
      "", "[]", "null", "\"{}\"", "{", "{}}", #"{"app":"a",}"#, "{'app':'a'}", "\u{FEFF}{}",
      "{\"app\":\"\u{1}\"}",
      String(repeating: "[", count: 1_024), String(repeating: #"{"a":"#, count: 200),
    ])
  func nonsense(_ text: String) { #expect(throws: BodyFault.self) { try DeviceBody(Array(text.utf8)) } }

  @Test("that are no UTF-8 are refused") func encoding() {
    #expect(throws: BodyFault("line 1, column 9 (byte 8): not valid UTF-8")) {
      try DeviceBody(Array(#"{"app":""#.utf8) + [0xFF] + Array("\"}".utf8))
    }
  }
}
