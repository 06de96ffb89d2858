/// Every provider's verified way to name media. A new one is a row, and a pair of files in Fixtures/payloads.
///
/// The order of the lists and rows is that of the attachments. Of two with the same URL the first wins:
/// 1. `own`, then the user's media keys.
/// 2. `namespaced`: inside an object that bears the provider's mark. All that match count.
/// 3. `flat`: a plain key at the top, looked at only if nothing above has matched. All that match count.
/// 4. `generic`: names that anybody uses. The first match counts, if nothing else has matched.
///
/// A match is a medium that was found, even if it cannot be fetched.
extension Dialect {
  static let own: DialectTable = [Dialect(name: "push-enricher", path: ["media"])]

  static let namespaced: DialectTable = [
    Dialect(name: "Firebase", locations: [.text(["fcm_options", "image"])]),
    Dialect(name: "OneSignal", locations: [.text(["os_data", "att", .members])], allowsBundledFiles: true),
    Dialect(
      name: "Airship",
      locations: [
        .object([.key(airship), "urls", .each], url: "url"), .text([.key(airship), "url", .each]),
      ], identifier: "url_id",
      sharedOptions: Options(
        object: [airship, "options"], hidden: "hidden", clippingRect: "crop", time: "time"),
      thumbnail: [airship, "thumbnail_id"]),
    Dialect(name: "Braze", locations: [.object(["ab", "att"], url: "url")], typeHint: "type"),
    Dialect(name: "Batch", locations: [.object(["com.batch", "at"], url: "u")], typeHint: "t"),
    Dialect(name: "Iterable", locations: [.object(["itbl"], url: "attachment-url")], identifier: "messageId"),
    Dialect(name: "Customer.io", locations: [.text(["CIO", "push", "image"])]),
    Dialect(
      name: "Expo",
      locations: ["body", "data"].flatMap { container in
        ["video", "audio", "image"].map {
          .textOrObject([.key(container), "_richContent", .key($0)], url: "url")
        }
      }, options: .nested),
    // An object in Notifee, JSON in a string in react-native-notify-kit.
    Dialect(
      name: "Notifee",
      locations: [
        .object(["notifee_options", .parsed, "ios", "attachments", "0"], url: "url"),
        .text(["notifee_options", .parsed, "image"]),
      ], typeHint: "typeHint", identifier: "id", options: Options()),
    Dialect(
      name: "MoEngage", locations: [.object(["moengage"], url: "media-attachment")], typeHint: "media-type"),
    Dialect(
      name: "MoEngage template",
      locations: [
        .object(
          [
            "moeFeatures", "richPush", "expanded", "cards", .each, "widgets", .each, .having("type", "image"),
          ], url: "content")
      ]),
    Dialect(
      name: "Swrve", locations: [.text(["_sw", "media", "url"]), .text(["_sw", "media", "fallback_url"])]),
    Dialect(name: "Infobip", locations: [.object(["internalData", "atts", "0"], url: "url")]),
    Dialect(
      name: "MotiSig",
      locations: [
        .text(["_motisig", "imageUrl"]), .text(["_motisig", "image_url"]), .text(["_motisig", "image"]),
        .text(["_richContent", "image"]),
      ]),
  ]

  static let flat: DialectTable = [
    // Its still older form, `at` without an alert, never gets to an extension.
    Dialect(name: "OneSignal (legacy)", locations: [.text(["att", .members])], allowsBundledFiles: true),
    Dialect(
      name: "Accengage", locations: [.object(["acc-atts", .each], url: "att-url")], identifier: "att-id"),
    Dialect(name: "CleverTap", locations: [.object([], url: "ct_mediaUrl")], typeHint: "ct_mediaType"),
    // Both use this key: Pushwoosh for a string, Home Assistant for an object.
    Dialect(name: "Pushwoosh", locations: [.text(["attachment"])]),
    Dialect(
      name: "Home Assistant", locations: [.object(["attachment"], url: "url")], typeHint: "content-type",
      lazy: "lazy", options: Options(hidden: "hide-thumbnail", clippingRect: nil, time: nil)),
    Dialect(name: "Klaviyo", locations: [.object([], url: "rich-media")], typeHint: "rich-media-type"),
    Dialect(name: "Salesforce", locations: [.text(["_mediaUrl"])], allowsBundledFiles: true),
    Dialect(name: "Amazon Pinpoint", locations: [.text(["data", "media-url"])]),
    // A relative path, which its SDK completes by the width of the screen, stays relative and is reported.
    Dialect(name: "Kumulos", locations: [.text(["attachments", "pictureUrl"])]),
    Dialect(name: "Mixpanel", locations: [.text(["mp_media_url"])]),
    Dialect(
      name: "Localytics", locations: [.object([], url: "ll_attachment_url")], typeHint: "ll_attachment_type"),
    Dialect(name: "Adobe Journey Optimizer", locations: [.text(["adb_media"])]),
  ]

  static let generic: DialectTable = [
    Dialect(name: "Bloomreach", locations: [.text(["image"])]),
    Dialect(name: "Sailthru", locations: [.text(["image_url"])]),
    Dialect(name: "MotiSig fallback", locations: [.text(["imageUrl"])]),
  ]

  private static let airship = "com.urbanairship.media_attachment"

  /// A place that the user named.
  init(mediaKey: MediaKey) { self.init(name: "media key", path: JSONPath(mediaKey)) }

  /// A place with media in this project's own form.
  private init(name: String, path: JSONPath) {
    self.init(
      name: name, locations: [.textOrObject(JSONPath(steps: path.steps + [.each]), url: "url")],
      typeHint: "type", identifier: "id",
      coding: "enc", options: .nested)
  }
}

extension MediaReference {
  /// The names of all dialects, in the order of the table; media keys are none of them.
  package static var dialects: [String] {
    [Dialect.own, Dialect.namespaced, Dialect.flat, Dialect.generic].flatMap { $0.rows.map(\.name) }
  }
}
