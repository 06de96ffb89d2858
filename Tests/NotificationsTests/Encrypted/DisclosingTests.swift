import Testing

@testable import Notifications

/// The payload once the plaintext has replaced the ciphertext. Every other byte stays.
@Suite struct DisclosingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let what, payload, content, result: String

    var testDescription: String { what }

    init(_ what: String, _ payload: String, _ content: String, _ result: String) {
      self.what = what
      self.payload = payload
      self.content = content
      self.result = result
    }
  }

  private static let marked = "Z" + String(repeating: "\u{334}", count: 100)

  static let rows = [
    Row(
      "fields of the alert are replaced, others stay",
      #"{"aps":{"alert":{"title":"New", "body" : "(Encrypted)","launch-image":"i"},"mutable-content":1},"enc":{"v":1}}"#,
      #"{"title":"Alice","body":"Look!"}"#,
      #"{"aps":{"alert":{"title":"Alice", "body" : "Look!","launch-image":"i"},"mutable-content":1}}"#),
    Row(
      "new fields go to the end of the alert",
      #"{"aps":{"alert":{"body":"(Encrypted)" } },"enc":1}"#, #"{"subtitle":"Family","title":"A"}"#,
      #"{"aps":{"alert":{"body":"(Encrypted)","title":"A","subtitle":"Family" } }}"#),
    Row(
      "a text is the body of an alert with fields",
      #"{"aps":{"alert":"(Encrypted)"},"enc":1}"#, #"{"title":"A"}"#,
      #"{"aps":{"alert":{"title":"A","body":"(Encrypted)"}}}"#),
    Row(
      "texts of many marks come through",
      #"{"aps":{"alert":"\#(Self.marked)"},"enc":1}"#, #"{"title":"\#(Self.marked)"}"#,
      #"{"aps":{"alert":{"title":"\#(Self.marked)","body":"\#(Self.marked)"}}}"#),
    Row(
      "a text is replaced", #"{"aps":{"alert":"(Encrypted)"},"enc":1}"#, #"{"body":"B","title":"A"}"#,
      #"{"aps":{"alert":{"title":"A","body":"B"}}}"#),
    Row(
      "a text does not stand beside the key of another",
      #"{"aps":{"alert":"(Encrypted)"},"enc":1}"#, #"{"loc-key":"K"}"#,
      #"{"aps":{"alert":{"loc-key":"K"}}}"#),
    Row(
      "what iOS would show in the place of a text goes",
      #"{"aps":{"alert":{"loc-key":"NEW","loc-args":["x"],"title-loc-key":"T"}},"enc":1}"#, #"{"body":"B"}"#,
      #"{"aps":{"alert":{"title-loc-key":"T","body":"B"}}}"#),
    Row(
      "a text goes for the key of another", #"{"aps":{"alert":{"title":"New","body":"B"}},"enc":1}"#,
      #"{"title-loc-key":"T","title-loc-args":["a","ü"]}"#,
      #"{"aps":{"alert":{"body":"B","title-loc-key":"T","title-loc-args":["a","ü"]}}}"#),
    Row(
      "members of aps that may be set",
      #"{"aps":{"alert":"x","sound":"old"},"enc":1}"#,
      #"{"sound":{"critical":1,"name":"s"},"badge":3,"thread-id":"t","category":"c","interruption-level":"active","relevance-score":0.5}"#,
      #"{"aps":{"alert":"x","sound":{"critical":1,"name":"s"},"badge":3,"thread-id":"t","category":"c","interruption-level":"active","relevance-score":0.5}}"#
    ),
    Row(
      "everything else stays where it was", #"{"aps":{"alert":"x"},"enc":1}"#,
      #"{"mutable-content":0,"content-available":1,"url-args":[],"aps":{"badge":1},"alert":{"title":"x"},"enc":2,"k":"secret","media":[]}"#,
      #"{"aps":{"alert":"x"}}"#),
    Row(
      "values of the wrong kind stay where they were", #"{"aps":{"alert":"x"},"enc":1}"#,
      #"{"title":1,"body":null,"loc-args":[1],"subtitle":{},"sound":[],"badge":"1","thread-id":{},"relevance-score":true}"#,
      #"{"aps":{"alert":"x"}}"#),
    Row(
      "escapes are written as UTF-8", #"{"aps":{"alert":"x"},"enc":1}"#,
      #"{"title":"\u00fc\ud83c\udfba\n\/"}"#,
      #"{"aps":{"alert":{"title":"ü🎺\n/","body":"x"}}}"#),
    Row(
      "the last of several fields of a name counts", #"{"aps":{"alert":"x"},"enc":1}"#,
      #"{"body":"one","body":"two"}"#, #"{"aps":{"alert":{"body":"two"}}}"#),
    Row(
      "all of several fields of a name are replaced",
      #"{"aps":{"alert":{"body":"x","body":"y"}},"enc":1}"#, #"{"body":"z"}"#,
      #"{"aps":{"alert":{"body":"z","body":"z"}}}"#),
    Row(
      "ciphertext at the start", #"{ "enc" : 1 , "aps":{"alert":"x"}, "n":1.0 }"#, #"{"badge":1}"#,
      #"{ "aps":{"alert":"x","badge":1}, "n":1.0 }"#),
    Row(
      "ciphertext in between", #"{"a":1, "enc":{"x":[1,2]} ,"aps":{"alert":"x"},"b" : 2}"#, "{}",
      #"{"a":1 ,"aps":{"alert":"x"},"b" : 2}"#),
    Row(
      "ciphertext twice, and escaped", #"{"enc":1,"\u0065nc":2,"aps":{"alert":"x"},"enc":3}"#, "{}",
      #"{"aps":{"alert":"x"}}"#),
    Row(
      "the last of several aps counts", #"{"aps":{"alert":"x"},"aps":{"alert":"y"},"enc":3}"#,
      #"{"badge":1}"#,
      #"{"aps":{"alert":"x"},"aps":{"alert":"y","badge":1}}"#),
    Row(
      "a picture without a text leaves the text that is there",
      #"{"aps":{"alert":{"title":"New","body":"(Encrypted)"},"badge":1},"enc":1}"#,
      #"{"title":"","subtitle":"","body":"","badge":2,"media":[]}"#,
      #"{"aps":{"alert":{"title":"New","body":"(Encrypted)"},"badge":2}}"#),
    Row(
      "as it leaves an alert that is only a text", #"{"aps":{"alert":"New message"},"enc":1}"#,
      #"{"body":"","sound":"s"}"#, #"{"aps":{"alert":"New message","sound":"s"}}"#),
    Row(
      "and the key of a text", #"{"aps":{"alert":{"loc-key":"NEW","loc-args":["x"]}},"enc":1}"#,
      #"{"body":"","launch-image":"i"}"#,
      #"{"aps":{"alert":{"loc-key":"NEW","loc-args":["x"],"launch-image":"i"}}}"#),
    Row(
      "an empty text blanks a line where another shows",
      #"{"aps":{"alert":{"title-loc-key":"T","body":"(Encrypted)"}},"enc":1}"#, #"{"title":"","body":"B"}"#,
      #"{"aps":{"alert":{"body":"B","title":""}}}"#),
    Row(
      "an empty key takes the place of no text",
      #"{"aps":{"alert":{"title":"New","subtitle":"S","body":"B"}},"enc":1}"#,
      #"{"loc-key":"","loc-args":["x"],"title-loc-key":"","subtitle-loc-key":"","subtitle-loc-args":[]}"#,
      #"{"aps":{"alert":{"title":"New","subtitle":"S","body":"B"}}}"#),
    Row(
      "nor does it beside an empty text", #"{"aps":{"alert":{"body":"New message"}},"enc":1}"#,
      #"{"title-loc-key":"","body":""}"#, #"{"aps":{"alert":{"body":"New message"}}}"#),
    Row(
      "an empty text does not stand beside a key", #"{"aps":{"alert":{"body":"New message"}},"enc":1}"#,
      #"{"body":"","loc-key":"K","loc-args":["x"]}"#,
      #"{"aps":{"alert":{"loc-key":"K","loc-args":["x"]}}}"#),
    Row("without aps", #"{"enc":3 }"#, #"{"badge":1}"#, #"{ }"#),
  ]

  @Test(arguments: rows)
  func result(row: Row) throws {
    let content = try #require(PlainContent(try JSONDocument(Array(row.content.utf8))))
    let result = try Self.disclose(content, in: row.payload, insteadOf: ["enc"])
    #expect(String(decoding: result.bytes, as: UTF8.self) == row.result)
  }

  private static func disclose(
    _ content: PlainContent, in text: String, insteadOf names: [String]
  ) throws -> Payload {
    let payload = try Payload(Array(text.utf8))
    return try Payload(payload.applying(payload.disclosing(content, insteadOf: names)))
  }

  /// Every alert that shows something, combined with every content that has three of the fields,
  /// each of them empty or not.
  @Test func whatShowsAnAlertGoesOnShowingOne() throws {
    let names = ["title", "body", "title-loc-key", "loc-key", "loc-args"]
    let fields = names.flatMap { name in
      (name == "loc-args" ? ["[]", #"["x"]"#] : [#""""#, #""x""#]).map { "\"\(name)\":\($0)" }
    }
    let alerts =
      [#""x""#] + names.dropLast().map { #"{"\#($0)":"x"}"# } + [#"{"title":"x","body":"x","loc-key":"x"}"#]
    for alert in alerts {
      let payload = #"{"aps":{"alert":\#(alert),"mutable-content":1},"enc":1}"#
      for (index, first) in fields.enumerated() {
        for (offset, second) in fields[index...].enumerated() {
          for third in fields[(index + offset)...] {
            let text = "{\(first),\(second),\(third)}"
            let content = try #require(PlainContent(try JSONDocument(Array(text.utf8))))
            let result = try Self.disclose(content, in: payload, insteadOf: ["enc"])
            #expect(result.ineligibility(pushType: nil) == nil, "\(alert) \(text)")
          }
        }
      }
    }
  }

  @Test func severalMembersAreTakenOut() throws {
    let content = try #require(PlainContent(try JSONDocument(Array("{}".utf8))))
    let payload = #"{"i":1,"m":2,"aps":{"alert":"x"},"k":3,"s":4}"#
    let result = try Self.disclose(content, in: payload, insteadOf: ["i", "m", "k", "s"])
    #expect(String(decoding: result.bytes, as: UTF8.self) == #"{"aps":{"alert":"x"}}"#)
  }

  @Test(arguments: ["[]", "1", "\"x\"", "null"])
  func onlyObjects(text: String) throws {
    #expect(PlainContent(try JSONDocument(Array(text.utf8))) == nil)
  }

  /// Each of 3,600 members with the same name would get a text of 23 KB. That is 83 MB, which must
  /// not be built just to see that it is too long.
  @Test func tooLongByRepetition() throws {
    let content = try #require(
      PlainContent(try JSONDocument(Array(#"{"body":"\#(String(repeating: "a", count: 23_000))"}"#.utf8))))
    let members = String(repeating: #""body":0,"#, count: 3_600)
    let payload = try Payload(Array(#"{"aps":{"alert":{\#(members)"title":"x"}}}"#.utf8))
    #expect(throws: RewritingError.tooLarge(size: 82_836_031, maximum: 65_536)) {
      try payload.disclosing(content, insteadOf: [])
    }
  }

  @Test func tooLong() throws {
    let text = String(repeating: "a", count: 65_000)
    let content = try #require(PlainContent(try JSONDocument(Array(#"{"title":"\#(text)"}"#.utf8))))
    let payload = try Payload(Array(#"{"aps":{"alert":"\#(text.prefix(600))"}}"#.utf8))
    #expect(throws: RewritingError.self) { try payload.disclosing(content, insteadOf: []) }
  }
}
