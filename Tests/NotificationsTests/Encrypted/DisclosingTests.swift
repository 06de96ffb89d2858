import Testing

@testable import Notifications

/// What stands in a payload once the plaintext is in the place of the ciphertext. Every other byte stays.
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
    Row("without aps", #"{"enc":3 }"#, #"{"badge":1}"#, #"{ }"#),
  ]

  @Test(arguments: rows)
  func result(row: Row) throws {
    let content = try #require(PlainContent(try JSONDocument(Array(row.content.utf8))))
    let result = try Payload(Array(row.payload.utf8)).disclosing(content, insteadOf: ["enc"])
    #expect(String(decoding: result.bytes, as: UTF8.self) == row.result)
  }

  @Test func severalMembersAreTakenOut() throws {
    let content = try #require(PlainContent(try JSONDocument(Array("{}".utf8))))
    let payload = try Payload(Array(#"{"i":1,"m":2,"aps":{"alert":"x"},"k":3,"s":4}"#.utf8))
    let result = try payload.disclosing(content, insteadOf: ["i", "m", "k", "s"])
    #expect(String(decoding: result.bytes, as: UTF8.self) == #"{"aps":{"alert":"x"}}"#)
  }

  @Test(arguments: ["[]", "1", "\"x\"", "null"])
  func onlyObjects(text: String) throws {
    #expect(PlainContent(try JSONDocument(Array(text.utf8))) == nil)
  }

  @Test func tooLong() throws {
    let text = String(repeating: "a", count: 65_000)
    let content = try #require(PlainContent(try JSONDocument(Array(#"{"title":"\#(text)"}"#.utf8))))
    let payload = try Payload(Array(#"{"aps":{"alert":"\#(text.prefix(600))"}}"#.utf8))
    #expect(throws: PayloadError.self) { try payload.disclosing(content, insteadOf: []) }
  }
}
