import Testing

@testable import Notifications

@Suite("The push type that a message states")
struct EnvelopePushTypeTests {
  private static func fcm(_ type: String) -> String {
    #"{"message":{"token":"t","apns":{"headers":{"apns-push-type":"\#(type)"},"payload":{"aps":{}}}}}"#
  }
  private static func gorush(_ type: String) -> String {
    #"{"notifications":[{"platform":1,"tokens":["t"],"message":"x","push_type":\#(type)}]}"#
  }

  @Test(
    "is read where the service has it",
    arguments: [
      (fcm("background"), PushType.background), (fcm("VoIP"), .voip), (fcm("letter"), nil),
      (gorush(#""background""#), .background), (gorush(#""voip""#), .voip), (gorush("null"), nil),
      (#"{"app_id":"a","contents":{"en":"x"},"apns_push_type_override":"voip"}"#, .voip),
      (#"{"APNS_VOIP":"{}"}"#, .voip), (#"{"APNS":"{}"}"#, nil),
      (#"{"Message":"{\"APNS_VOIP_SANDBOX\":\"{}\"}"}"#, .voip),
      (#"{"to":"t","title":"x"}"#, nil), (#"{"payload":{"aps":{},"push_type":"voip"}}"#, nil),
    ])
  func read(message: String, type: PushType?) throws {
    let payload = try #require(PushMessage(Array(message.utf8)).payloads.first)
    #expect(payload.pushType == type)
  }
}
