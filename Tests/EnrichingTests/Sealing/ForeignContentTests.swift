import Notifications
import TestSupport
import Testing

@testable import Enriching

@Suite("Content for an app's own extension")
struct ForeignContentTests {
  private static func payload(_ members: String) throws -> Payload {
    try Payload(Array(#"{"aps":{"alert":"x","mutable-content":1},\#(members)}"#.utf8))
  }

  private static func base64(_ count: Int) -> String { String(repeating: "Ab-_", count: count / 4) }

  @Test(
    "is no failure, and says whose it is",
    arguments: [
      (
        "\"encrypted\":true,\"encrypted_data\":\"\(base64(24))\"",
        "encrypted for the extension of Home Assistant"
      ),
      (
        "\"encrypted\":\"true\",\"encrypted_data\":\"\(base64(24))\",\"push_key_id\":\"1\"",
        "encrypted for the extension of Home Assistant"
      ),
      ("\"push_key_id\":7,\"encrypted_data\":\"\(base64(24))\"", "encrypted for the extension of Zulip"),
      (
        "\"subject\":\"\(base64(344))\",\"signature\":\"\(base64(344))\"",
        "encrypted for the extension of Nextcloud"
      ),
      ("\"spns\":1,\"enc_payload\":\"\(base64(56))\"", "encrypted for the extension of Session"),
      (
        "\"notificationData\":{\"nonce\":\"\(base64(32))\",\"message\":\"\(base64(64))\"}",
        "encrypted for the extension of SimpleX"
      ),
      (
        "\"notificationData\":{\"nonce\":\"\(base64(32))\",\"checkMessage\":\"\(base64(64))\"}",
        "encrypted for the extension of SimpleX"
      ),
      ("\"p\":\"\(base64(80))\"", "encrypted for the extension of Telegram"),
      (#""room_id":"!a:b","event_id":"$c","unread_count":1"#, "fetched by the extension of Matrix"),
      (#""type":"message","id_loaded":true,"ack_id":"a""#, "fetched by the extension of Mattermost"),
      (#""type":"message","id_loaded":true"#, "fetched by the extension of Mattermost"),
      (#""event":"poll_request","topic":"a","poll_id":"b""#, "fetched by the extension of ntfy"),
      (
        #""ejson":"{\"host\":\"https://a\",\"messageId\":\"m\",\"notificationType\":\"message-id-only\"}""#,
        "fetched by the extension of Rocket.Chat"
      ),
      (
        #""ejson":"{\"host\":\"https://a\",\"rid\":\"r\",\"messageType\":\"e2e\",\"msg\":\"x\"}""#,
        "encrypted for the extension of Rocket.Chat"
      ),
      (
        #""UID":"u","encryptedMessage":"-----BEGIN PGP MESSAGE-----\n\nwV4D\n""#,
        "encrypted for the extension of Proton Mail"
      ),
      ("\"ciphertext\":\"\(base64(24))\"", "encrypted for the extension of Bark or an app like it"),
    ])
  func foreign(members: String, says: String) throws {
    let payload = try Self.payload(members)
    let failure = try #require(ForeignContent.of(payload)).failure
    #expect(failure.reason == .noMedia)
    #expect(failure.detail == "its content is \(says)")
    #expect(failure.advice.hasPrefix("leave it to the app's extension"))
  }

  @Test(
    "is not what only has such names",
    arguments: [
      #""p":"1""#, #""subject":"Hello","signature":"Bob""#, #""event_id":"7""#, #""encrypted_data":"""#,
      #""encrypted":false"#, #""id_loaded":false,"ack_id":"a""#, "\"encrypted_data\":\"\(base64(24))\"",
      "\"enc_payload\":\"\(base64(56))\"", "\"nonce\":\"\(base64(32))\",\"message\":\"\(base64(64))\"",
      "\"subject\":\"\(String(repeating: "A word. ", count: 50))\",\"signature\":\"\(base64(344))\"",
      "\"ciphertext\":\"this is a text and no ciphertext\"",
      #""UID":"u","encryptedMessage":"none at all here""#,
      #""ejson":"{\"host\":\"https://a\",\"rid\":\"r\",\"notificationType\":\"message\"}""#,
      #""event":"message","topic":"a","poll_id":"b""#,
      #""ejson":"{}""#, #""ejson":"[1""#, #""ejson":{"messageType":"e2e"}"#,
    ])
  func notForeign(members: String) throws { #expect(ForeignContent.of(try Self.payload(members)) == nil) }

  @Test("is also found in the data of a message for FCM") func data() throws {
    let message = try PushMessage(
      Array(
        #"{"token":"t","apns":{"payload":{"aps":{"alert":"x","mutable-content":true}}},"data":{"encrypted":"true","encrypted_data":"\#(Self.base64(24))"}}"#
          .utf8))
    let payload = try #require(message.payloads.first)
    #expect(ForeignContent.of(payload)?.app == "Home Assistant")
  }
}
