import Enriching
import Misbehaving
import TestSupport

/// Payloads that are not enriched for reasons of their own.
extension Fallback {
  private static let photo = #""media":{"url":"https://media.example/photo.jpg"}"#

  static let ofPayloads: [Fallback] = [
    .payload(.notMutable, "no mutable-content", Array(#"{"aps":{"alert":"Hello"},\#(photo)}"#.utf8)),
    .payload(.notMutable, "push type background", Push.with(photo), ["--push-type", "background"]),
    .payload(
      .noAlert, "a sound alone", Array(#"{"aps":{"sound":"bell","mutable-content":1},\#(photo)}"#.utf8)),
    .payload(
      .noAPS, "a payload in an unknown wrapping",
      Array(#"{"a":{"b":{"c":{"aps":{"alert":"Hello","mutable-content":1},\#(photo)}}}}"#.utf8)),
    .payload(.noMedia, "a member that nobody knows", Push.with(#""hero":"https://media.example/photo.jpg""#)),
    .payload(
      .noMedia, "a member that nobody knows, with a scheme in capitals", saying: "--media-key 'hero'",
      Push.with(#""hero":"HTTPS://media.example/photo.jpg""#)),
    .payload(.noMedia, "an empty payload but for the alert", Push.with(#""x":0"#)),
    .payload(.attachmentsKeyTaken, "a member attachments", Push.with(#"\#(photo),"attachments":null"#)),
    .payload(
      .attachmentsKeyTaken, "a member of the chosen name, escaped",
      Push.with(#"\#(photo),"f\u006f\u006f":1"#),
      ["--attachments-key", "foo"]),
    .payload(
      .payloadTooLarge, "no room for an empty list", saying: "more than the 4096",
      Push.naming("https://media.example/photo.jpg", size: 4090)),
    .server(
      .payloadTooLarge, "no room for what was fetched", saying: "more than the 4096", .serve(.photo),
      size: 4000),
    .server(
      .payloadTooLarge, "no room even in VoIP", saying: "more than the 5120", .serve(.photo),
      ["--push-type", "voip"],
      size: 5000),
  ]

  static let ofCiphertexts: [Fallback] = [
    .payload(
      .keyUnknown, "content for a key that nobody has",
      Push.with(#""enc":{"v":1,"ce":"aes128gcm","kid":"a","data":""}"#)),
    .payload(
      .decryptFailed, "content in a coding that nobody knows",
      Push.with(#""enc":{"v":1,"ce":"rot13","kid":"a","data":""}"#)),
    .payload(
      .keyUnknown, "a medium for a key that nobody has",
      Push.with(#""media":{"url":"https://media.example/a","enc":{"ce":"aes128gcm","kid":"a"}}"#)),
    .payload(
      .decryptFailed, "a medium with its key in the clear",
      Push.with(
        #""media":{"url":"https://media.example/a","enc":{"ce":"aes128gcm","k":"yqdlZ-tYemfogSmv7Ws5PQ"}}"#)),
  ]

  private static func server(
    _ reason: Reason, _ what: String, saying: String, _ behaviour: Behaviour, _ options: [String] = [],
    size: Int
  ) -> Fallback {
    Fallback(reason, what, saying: saying, stored: 1) {
      try await withHostileServer { server in
        try await enrich(Push.naming(server.url(behaviour), size: size), reaching(server.port) + options)
      }
    }
  }
}
