/// How each provider names media; every row has been verified. To add one, add a row here and a
/// pair of files in Fixtures/payloads.
///
/// Attachments are in the order of the lists and rows. If two have the same URL, the first wins:
/// 1. `own`, then the user's media keys.
/// 2. `namespaced`: inside an object that only this provider uses. Every match counts.
/// 3. `flat`: a plain key at the top, used only if nothing above has matched. Every match counts.
/// 4. `generic`: names that many senders use. The first match counts, if nothing above has matched.
///
/// A match is a medium that was found, even if it cannot be fetched. In `flat` and `generic`, whose names
/// mean other things as well, only a text that looks like a URL is a medium: see `URLShape`. Texts in `media`
/// that do not look like one are media only if there is no URL elsewhere.
extension Dialect {
  /// All values in FCM's `data` are strings, so `media` may be JSON in a string.
  static let own: DialectTable = [Dialect(name: "push-enricher", path: ["media", .parsedContainer])]

  static let namespaced: DialectTable = [
    Dialect(name: "Firebase", locations: [.text(["fcm_options", .parsed, "image"])]),
    Dialect(name: "OneSignal", locations: [.text(["os_data", "att", .members])], allowsBundledFiles: true),
    Dialect(
      name: "Airship",
      locations: [
        .object([.key(airship), "urls", .each], url: "url"), .text([.key(airship), "url", .each]),
      ], identifier: "url_id",
      sharedOptions: Options(
        object: [airship, "options"], hidden: "hidden", clippingRect: "crop", time: "time"),
      thumbnail: [airship, "thumbnail_id"], texts: Texts(object: [.key(airship), "content"])),
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
    // Notifee uses an object here, react-native-notify-kit JSON in a string.
    Dialect(
      name: "Notifee",
      locations: [
        .object(["notifee_options", .parsed, "ios", "attachments", "0"], url: "url"),
        .text(["notifee_options", .parsed, "image"]),
      ], typeHint: "typeHint", identifier: "id", options: Options(),
      texts: Texts(object: ["notifee_options", .parsed], settings: notifee)),
    Dialect(
      name: "Notifee in data",
      locations: [
        .object(["data", .parsed, "notifee_options", .parsed, "ios", "attachments", "0"], url: "url"),
        .text(["data", .parsed, "notifee_options", .parsed, "image"]),
      ], typeHint: "typeHint", identifier: "id", options: Options(),
      texts: Texts(object: ["data", .parsed, "notifee_options", .parsed], settings: notifee)),
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
      name: "Swrve", locations: [.text(["_sw", "media", "url"]), .text(["_sw", "media", "fallback_url"])],
      hasSpare: true, spareSetting: ("_sd", ["_sw", "media", "fallback_sd"]),
      texts: Texts(object: ["_sw", "media"])),
    Dialect(name: "Infobip", locations: [.object(["internalData", "atts", "0"], url: "url")]),
    Dialect(
      name: "MotiSig",
      locations: [
        .text(["_motisig", "imageUrl"]), .text(["_motisig", "image_url"]), .text(["_motisig", "image"]),
        .text(["_richContent", "image"]),
      ]),
    Dialect(
      name: "WebEngage",
      locations: [
        .text(["expandableDetails", "image"]),
        .object(["expandableDetails", "items", .each], url: "image"),
      ]),
    Dialect(name: "Countly", locations: [.text(["c", .with("i"), "a"])]),
    Dialect(
      name: "WonderPush", locations: [.object(["_wp", "attachments", .each], url: "url")], typeHint: "type",
      identifier: "id", options: .nested),
    Dialect(
      name: "AppMetrica", locations: [.object(["yamp", "a", .each], url: "l")], typeHint: "t",
      identifier: "i"),
    Dialect(name: "PushEngage", locations: [.text(["pe", "att"])]),
    Dialect(name: "Attentive", locations: [.text(["attentiveCallbackData", "attentive_image_url"])]),
    Dialect(
      name: "D·engage",
      locations: [
        .object([.having("messageSource", "DENGAGE")], url: "urlImageString"),
        .object([.having("messageSource", "DENGAGE"), "carouselContent", .each], url: "mediaUrl"),
      ]),
    Dialect(name: "Mindbox (legacy)", locations: [.object(["aps", .with("clickUrl")], url: "imageUrl")]),
    Dialect(name: "Ometria", locations: [.text(["aps", "alert", "ometria", "imageUrl"])]),
    Dialect(
      name: "Notifly", locations: [.object(["notifly_attachment", .parsed], url: "url")],
      typeHint: "attachment_type"),
  ]

  static let flat: DialectTable = [
    // OneSignal's even older form, `at` without an alert, never reaches an extension.
    Dialect(name: "OneSignal (legacy)", locations: [.text(["att", .members])], allowsBundledFiles: true),
    Dialect(
      name: "Accengage", locations: [.object(["acc-atts", .each], url: "att-url")], identifier: "att-id"),
    Dialect(name: "CleverTap", locations: [.object([], url: "ct_mediaUrl")], typeHint: "ct_mediaType"),
    // Pushwoosh puts a string under this key, Home Assistant an object.
    Dialect(name: "Pushwoosh", locations: [.text(["attachment"])]),
    Dialect(
      name: "Home Assistant", locations: [.object(["attachment"], url: "url")], typeHint: "content-type",
      lazy: "lazy", options: Options(hidden: "hide-thumbnail", clippingRect: nil, time: nil)),
    Dialect(name: "Notificare", locations: [.object(["attachment"], url: "uri")], typeHint: "mimeType"),
    Dialect(name: "Klaviyo", locations: [.object([], url: "rich-media")], typeHint: "rich-media-type"),
    // developer.salesforce.com, "Send Rich Notifications": `_mediaAlt` is the body "if there are any problems
    // downloading or creating the media attachment".
    Dialect(
      name: "Salesforce", locations: [.text(["_mediaUrl"])], allowsBundledFiles: true,
      texts: Texts(object: [], title: nil, subtitle: nil, body: nil, substitute: "_mediaAlt")),
    Dialect(name: "Amazon Pinpoint", locations: [.text(["data", "media-url"])]),
    // Its SDK puts the width of the screen in points before a relative path. 1024 is an iPad's width.
    Dialect(
      name: "Kumulos", locations: [.text(["attachments", "pictureUrl"])], relativePrefix: "1024x/"),
    Dialect(name: "Mixpanel", locations: [.text(["mp_media_url"])]),
    Dialect(
      name: "Localytics", locations: [.object([], url: "ll_attachment_url")], typeHint: "ll_attachment_type"),
    Dialect(name: "Adobe Journey Optimizer", locations: [.text(["adb_media"])]),
    Dialect(
      name: "CleverPush",
      locations: [
        .text(["notification", "mediaUrl"]),
        .object(["notification", "carouselItems", .each], url: "mediaUrl"),
      ]),
    Dialect(name: "Appcues", locations: [.text(["appcues_attachment_url"])]),
    Dialect(name: "Acoustic", locations: [.text(["media-attachment"])]),
    // openHAB uses this name, too.
    Dialect(name: "Adobe Campaign", locations: [.text(["media-attachment-url"])]),
    Dialect(name: "Mapp", locations: [.text(["ios_apx_media"])]),
    Dialect(name: "Leanplum", locations: [.text(["LP_URL"])]),
    // A JSON array in a string. Its SDK takes all backslashes out before it reads it.
    Dialect(
      name: "Reteno",
      locations: [
        .text(["es_notification_images", .parsedWithoutBackslashes, .each]),
        .text(["es_notification_image"]),
      ]),
    Dialect(
      name: "ntfy", locations: [.object([], url: "attachment_url")], typeHint: "attachment_type"),
  ]

  static let generic: DialectTable = [
    Dialect(
      name: "Bloomreach", locations: [.text(["image"])],
      texts: Texts(object: [], subtitle: nil, body: "message")),
    Dialect(name: "Sailthru", locations: [.text(["image_url"])]),
    Dialect(name: "MotiSig fallback", locations: [.text(["imageUrl"])]),
    // Blueshift also uses `image_url`, which Sailthru's row covers.
    Dialect(
      name: "Blueshift",
      locations: [
        .text(["video_url"]), .text(["gif_url"]), .text(["audio_url"]),
        .object(["carousel_elements", .each], url: "image_url"),
      ]),
    Dialect(
      name: "common names",
      locations: [Location.object(["image"], url: "url")] + places(commonNames)
        + places(["image", "imageUrl", "image_url"] + commonNames, in: ["data", .parsed])
        + places(commonNames, in: ["aps"])),
  ]

  /// Names that developers use in extensions for their own apps.
  private static let commonNames: [JSONPath.Step] = [
    "attachment-url", "attachmentUrl", "media-url", "media_url", "mediaUrl", "mediaURL", "image-url",
    "imageURL", "urlImageString", "picture", "picture_url", "pictureUrl", "photo_url", "photoUrl",
  ]

  private static func places(_ names: [JSONPath.Step], in way: [JSONPath.Step] = []) -> [Location] {
    names.map { .text(JSONPath(steps: way + [$0])) }
  }

  private static let airship = "com.urbanairship.media_attachment"
  /// invertase/notifee ios/NotifeeCore/NotifeeCoreExtensionHelper.m rebuilds the content from the options.
  private static let notifee = [
    (name: "sound", way: ["ios", "sound"]), (name: "category", way: ["ios", "categoryId"]),
  ]

  /// A dialect for a place that the user named.
  init(mediaKey: MediaKey) { self.init(name: "media key", path: JSONPath(mediaKey)) }

  /// A dialect for a place that has media in this project's own form.
  private init(name: String, path: JSONPath) {
    self.init(
      name: name, locations: [.textOrObject(JSONPath(steps: path.steps + [.each]), url: "url")],
      typeHint: "type", identifier: "id",
      coding: "enc", options: .nested)
  }
}

extension MediaReference {
  /// The names of all dialects in the order of the table, without media keys.
  package static var dialects: [String] {
    [Dialect.own, Dialect.namespaced, Dialect.flat, Dialect.generic].flatMap { $0.rows.map(\.name) }
  }
}
