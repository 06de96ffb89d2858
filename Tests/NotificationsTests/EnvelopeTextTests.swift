import Testing

@testable import Notifications

/// `--apply-texts` in messages that have an alert of their own.
@Suite("Texts beside media in an envelope")
struct EnvelopeTextTests {
  private static func apply(_ text: String) throws -> String {
    let payload = try #require(PushMessage(Array(text.utf8)).payloads.first)
    let edits = payload.applyingTexts(of: payload.mediaReferences())
    return String(decoding: try payload.applying(edits), as: UTF8.self)
  }

  @Test(
    "replace its lines, and leave the others",
    arguments: [
      // An alert in `aps` overrides all of `notification`.
      (
        #"{"message":{"token":"t","notification":{"title":"a","body":"b \u00fc"},"apns":{"payload":{"aps":{},DATA}}}}"#,
        #""aps":{}"#, #""aps":{"alert":{"title":"T","body":"b ü"}}"#
      ),
      (
        #"{"message":{"token":"t","notification":{"title":"a","body":"b"},"apns":{"payload":{"aps":{"alert":"c"},DATA}}}}"#,
        #""alert":"c""#, #""alert":{"title":"T","body":"c"}"#
      ),
      (
        #"{"message":{"token":"t","notification":{"title":"a","body":""},"apns":{"payload":{"aps":{},DATA}}}}"#,
        #""aps":{}"#, #""aps":{"alert":{"title":"T"}}"#
      ),
      (
        #"{"notifications":[{"platform":1,"title":"a","message":"b","data":{DATA}}]}"#,
        #""title":"a","message":"b","data":{DATA}"#,
        #""title":"T","message":"b","data":{DATA},"alert":{"title":"T","body":"b"}"#
      ),
      (
        #"{"notifications":[{"platform":1,"message":"b","alert":{"subtitle":"c"},"data":{DATA}}]}"#,
        #""subtitle":"c""#, #""subtitle":"c","title":"T""#
      ),
      (#"{"to":"t","title":"a","body":"b","data":{DATA}}"#, #""title":"a""#, #""title":"T""#),
      (#"{"to":"t","body":"b","data":{DATA}}"#, #"{DATA}"#, #"{DATA},"title":"T""#),
      // Its lines are in several languages.
      (#"{"app_id":"t","contents":{"en":"b"},"data":{DATA}}"#, "DATA", "DATA"),
    ])
  func lines(text: String, old: String, new: String) throws {
    func filled(_ text: String) -> String {
      text.replacing("DATA", with: #""notifee_options":{"image":"https://a/b.jpg","title":"T"}"#)
    }
    #expect(try Self.apply(filled(text)) == filled(text.replacing(old, with: new)))
  }

  @Test("of Airship replace a title beside the alert, and keep the alert for all platforms")
  func airship() throws {
    func message(_ ios: String, _ alert: String = "") -> String {
      #"{"audience":"all","notification":{"alert":"a","ios":{\#(ios)"media_attachment":{"url":"https://a/b.jpg","content":{"title":"T"}}\#(alert)}}}"#
    }
    for (ios, changed) in [
      ("", ""), (#""title":"b","#, #""title":"T","#), (#""title":null,"#, #""title":null,"#),
    ] {
      #expect(
        try Self.apply(message(ios)) == message(changed, #","alert":{"title":"T","body":"a"}"#))
    }
    #expect(
      try Self.apply(message("", #","alert":"c""#)) == message("", #","alert":{"title":"T","body":"c"}"#))
  }

  @Test("bring Notifee's category to where the envelope has it") func category() throws {
    let data = #""data":{"notifee_options":{"image":"https://a/b.jpg","ios":{"categoryId":"c","sound":"s"}}}"#
    for (text, result) in [
      (#"{"to":"t","categoryId":"b",\#(data)}"#, #"{"to":"t","categoryId":"c",\#(data),"sound":"s"}"#),
      (
        #"{"notifications":[{"platform":1,"title":"a",\#(data)}]}"#,
        #"{"notifications":[{"platform":1,"title":"a",\#(data),"sound":"s","category":"c"}]}"#
      ),
    ] {
      #expect(try Self.apply(text) == result)
    }
  }
}
