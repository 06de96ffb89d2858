/// The envelopes that are recognized automatically. To add one, add a row, and cases in
/// Fixtures/payloads.
extension Envelope {
  static let known: [Envelope] = [
    // firebase.google.com/docs/reference/fcm/rest/v1/projects.messages; one, or a list.
    fcm(messages: [[.each, "message"]]),
    // Messages as callers pass them to an Admin SDK, one or a list (`sendEach`). The SDK for Node has its own
    // spelling of `aps` and converts it when it sends: firebase-admin-node, src/messaging/messaging-internal.ts.
    fcm(
      messages: [[.each]], flags: [fcmAps + ["mutableContent"]],
      alert: ["titleLocKey", "subtitleLocKey", "locKey"].map { fcmAps + ["alert", $0] }, hasCamelCase: true),
    // docs.aws.amazon.com/sns/latest/dg/sns-send-custom-platform-specific-payloads-mobile-devices.html
    Envelope(
      name: "sns", mark: Mark(), messages: platforms.map { [.key($0), .parsed] }, isText: true,
      pushTypes: ["APNS_VOIP": .voip, "APNS_VOIP_SANDBOX": .voip]),
    // docs.expo.dev/push-notifications/sending-notifications, "Message request format".
    Envelope(
      name: "expo",
      mark: Mark(
        has: [["to"], ["title", "subtitle", "body", "data", "richContent", "mutableContent"]],
        lacks: ["aps", "notification", "platform"]),
      proof: Proof(
        values: [["mutableContent"], ["richContent"]],
        prefix: ("to", ["ExponentPushToken[", "ExpoPushToken["])),
      messages: [[.each]], payload: ["data"], makesPayload: true, flags: [["mutableContent"]],
      alert: [["title"], ["subtitle"], ["body"]], alertPlace: .message, category: ["categoryId"],
      media: [Dialect(name: "Expo message", locations: [.text(["richContent", "image"])])],
      counted: [["title"], ["subtitle"], ["body"], ["data"], ["categoryId"], ["sound"], ["richContent"]]),
    // documentation.onesignal.com/reference/create-message: `mutable_content` "always defaults to true and
    // cannot be turned off".
    Envelope(
      name: "onesignal",
      mark: Mark(
        has: [["app_id"], ["contents", "headings", "ios_attachments", "template_id"]],
        lacks: ["aps", "notification"]),
      payload: ["data"], makesPayload: true, flags: [],
      alert: [["contents"], ["headings"], ["subtitle"], ["template_id"]], alertPlace: .languages,
      category: ["ios_category"],
      media: [
        Dialect(
          name: "OneSignal message",
          locations: [.text(["ios_attachments", .members]), .text(["global_image"])],
          allowsBundledFiles: true)
      ],
      counted: [["data"], ["ios_category"]], pictures: [["ios_attachments"], ["global_image"]],
      pushType: ["apns_push_type_override"]),
    // docs.airship.com/developer/rest-api/ua/schemas/platform-overrides: `mutable_content` is "set to true if
    // there is a media_attachment" (urbanairship 7.4.1, `ios`).
    Envelope(
      name: "airship",
      mark: Mark(
        // JPush has the same members, and a platform.
        has: [["audience"], ["notification"]], lacks: ["aps", "platform"],
        text: ("device_types", ["ios", "all"])),
      messages: [[.each]],
      payload: ["notification", "ios", "extra"], makesPayload: true,
      flags: [["notification", "ios", "mutable_content"]],
      impliesFlag: ["notification", "ios", "media_attachment"],
      alert: [
        ["notification", "ios", "alert"], ["notification", "alert"], ["notification", "ios", "title"],
      ],
      alertPlace: .member(of: ["notification", "ios"]),
      lines: [
        "title": ["notification", "ios", "title"], "subtitle": ["notification", "ios", "subtitle"],
        "body": ["notification", "alert"],
      ], category: ["notification", "ios", "category"],
      media: [
        Dialect(
          name: "Airship message",
          locations: [
            .object(["notification", "ios", "media_attachment", "urls", .each], url: "url"),
            .textOrObject(["notification", "ios", "media_attachment"], url: "url"),
            .text(["notification", "media_attachment"]),
          ], identifier: "url_id",
          sharedOptions: Dialect.Options(
            object: ["notification", "ios", "media_attachment", "options"], hidden: "hidden",
            clippingRect: "crop", time: "time"),
          texts: Dialect.Texts(object: ["notification", "ios", "media_attachment", "content"]))
      ],
      counted: [["notification", "ios"], ["notification", "alert"]]),
    // github.com/appleboy/gorush, "Request body". `image` is for Android only. Its core/core.go has 1 for iOS; a
    // notification for 2 (Android) or 3 (Huawei) has no payload for APNs.
    Envelope(
      name: "gorush",
      mark: Mark(
        // Gaurun has a list named `token`, and does not pass data on.
        has: [["message", "title", "alert", "data"]], lacks: ["aps", "token"], number: ("platform", [1])),
      messages: [["notifications", .each]], payload: ["data"], makesPayload: true,
      flags: [["mutable_content"]], alert: [["title"], ["message"], ["alert"]],
      alertPlace: .member(of: []), lines: ["title": ["title"], "body": ["message"]], category: ["category"],
      counted: [["title"], ["message"], ["alert"], ["data"], ["category"], ["thread-id"], ["sound"]],
      pushType: ["push_type"]),
  ].numbered

  /// A row for messages of FCM, which reads its own names in either case (JSON of Protocol Buffers).
  private static func fcm(
    messages: [JSONPath], flags: [[String]] = [], alert: [[String]] = [], hasCamelCase: Bool = false
  ) -> Envelope {
    // Like Firebase's SDK, prefers the image for iOS to the image for all platforms.
    let pictures = [["apns", "fcm_options"], ["apns", "fcmOptions"], ["notification"]].flatMap { object in
      ["image", "imageUrl"].map { object + [$0] }
    }
    return Envelope(
      name: "fcm",
      mark: Mark(
        has: [
          ["apns", "fid", "fids", "token", "tokens", "topic", "condition"],
          ["apns", "notification", "data"],
        ],
        lacks: ["aps", "app_id", "audience", "to", "platform"], lacksValue: ["apns", "aps"]),
      proof: Proof(values: [["apns", "payload"]]), messages: messages, payload: ["apns", "payload"],
      flags: [fcmAps + ["mutable-content"]] + flags,
      alert: [["notification", "title"], ["notification", "body"]] + alert,
      // An alert in `aps` "overrides" both, says the reference of `ApnsConfig`.
      lines: ["title": ["notification", "title"], "body": ["notification", "body"]],
      hasCamelCase: hasCamelCase,
      media: [
        Dialect(
          name: "FCM",
          locations: pictures.map { .text(JSONPath(steps: $0.map { JSONPath.Step.key($0) })) })
      ],
      data: [["data"]],
      counted: [["apns", "payload"], ["notification", "title"], ["notification", "body"], ["data"]],
      pictures: pictures, pushType: ["apns", "headers", "apns-push-type"])
  }

  private static let fcmAps = ["apns", "payload", "aps"]

  /// The platforms of SNS whose messages go to APNs (`CreatePlatformApplication`).
  private static let platforms = [
    "APNS", "APNS_SANDBOX", "APNS_VOIP", "APNS_VOIP_SANDBOX", "MACOS", "MACOS_SANDBOX",
  ]
}
