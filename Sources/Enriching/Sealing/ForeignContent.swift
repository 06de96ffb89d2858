internal import Notifications

/// Payloads of apps whose own extension decrypts or fetches what to show. Only that extension can, so advice about
/// where to put media would be wrong.
struct ForeignContent: Sendable {
  let app: String
  /// How the extension gets the content.
  private let deed: Deed
  /// The values that must be at these places, which may be in strings of JSON.
  private let marks: [(place: MediaKey, mark: Mark)]
  /// Members that must be missing.
  private let without: [String]

  /// - Parameter marks: keyed by their paths.
  private init(app: String, deed: Deed, marks: KeyValuePairs<[String], Mark>, without: [String] = []) {
    (self.app, self.deed, self.without) = (app, deed, without)
    self.marks = marks.map { (MediaKey(steps: $0.key), $0.value) }
  }

  private enum Deed { case decrypts, fetches }

  fileprivate enum Mark {
    /// Anything but `null`.
    case given
    /// `true`, or the text "true": FCM's `data` has only texts.
    case flag
    case exactly(String)
    /// At least this many characters of base64 or base64url, padded or not.
    case base64(Int)
    /// In armor (RFC 9580, section 6.2).
    case pgp
  }

  /// The first row that matches counts.
  private static let rows = [
    // home-assistant/mobile-apps-fcm-push functions/encrypted.js. `crypto_secretbox` adds 40 bytes.
    ForeignContent(
      app: "Home Assistant", deed: .decrypts, marks: [["encrypted"]: .flag, ["encrypted_data"]: .base64(22)]),
    // zulip.com/api/mobile-notifications, "Data sent to APNs"; zulip/zulip-flutter lib/api/notifications.dart,
    // `EncryptedApnsPayload`.
    ForeignContent(
      app: "Zulip", deed: .decrypts, marks: [["push_key_id"]: .given, ["encrypted_data"]: .base64(22)]),
    // nextcloud/notifications lib/Push.php, `encryptAndSign`: both are as long as the RSA key, 2048 bits.
    ForeignContent(
      app: "Nextcloud", deed: .decrypts, marks: [["subject"]: .base64(342), ["signature"]: .base64(342)]),
    // session-foundation/session-ios, PushNotificationAPI.swift, `processNotification`: a nonce of 24 bytes, and
    // XChaCha20-Poly1305.
    ForeignContent(app: "Session", deed: .decrypts, marks: [["spns"]: .given, ["enc_payload"]: .base64(54)]),
    // simplex-chat/simplex-chat apps/ios/SimpleX NSE/NotificationService.swift: a nonce of 24 bytes. Older servers
    // send `checkMessage` (simplexmq src/Simplex/Messaging/Notifications/Server/Push/APNS.hs).
    ForeignContent(
      app: "SimpleX", deed: .decrypts,
      marks: [["notificationData", "nonce"]: .base64(32), ["notificationData", "message"]: .base64(64)]),
    ForeignContent(
      app: "SimpleX", deed: .decrypts,
      marks: [
        ["notificationData", "nonce"]: .base64(32), ["notificationData", "checkMessage"]: .base64(64),
      ]),
    // TelegramMessenger/Telegram-iOS Telegram/NotificationService/Sources/NotificationService.swift reads `p` as
    // base64url without padding; submodules/TelegramCore/Sources/Account/Account.swift, `decryptedNotificationPayload`:
    // ID of the key (8 bytes), key of the message (16), AES-IGE of at least a block.
    ForeignContent(
      app: "Telegram", deed: .decrypts, marks: [["p"]: .base64(54)], without: ["k", "s", "x", "i", "m"]),
    // element-hq/sygnal (before: matrix-org/sygnal) sygnal/apnspushkin.py, `_get_payload_event_id_only`: the app's
    // own `default_payload`, with both IDs beside it at the top level.
    ForeignContent(
      app: "Matrix", deed: .fetches, marks: [["room_id"]: .given, ["event_id"]: .given], without: ["content"]),
    // mattermost/mattermost-push-proxy server/apple_notification_server.go, `SendNotification`: a push that
    // `IsIDLoaded` has `id_loaded` and `type`, and `ack_id` only if the server wants an acknowledgement.
    ForeignContent(app: "Mattermost", deed: .fetches, marks: [["id_loaded"]: .flag, ["type"]: .given]),
    // binwiederhier/ntfy server/server_firebase.go, `toFirebaseMessage`: if a server is self-hosted, ntfy.sh pushes
    // only such a request.
    ForeignContent(
      app: "ntfy", deed: .fetches,
      marks: [["event"]: .exactly("poll_request"), ["topic"]: .given, ["poll_id"]: .given]),
    // RocketChat/Rocket.Chat.ReactNative ios/NotificationService/NotificationService.swift: a push of neither type is
    // shown as it is. `ejson` is JSON in a string.
    ForeignContent(
      app: "Rocket.Chat", deed: .fetches,
      marks: [["ejson", "host"]: .given, ["ejson", "notificationType"]: .exactly("message-id-only")]),
    ForeignContent(
      app: "Rocket.Chat", deed: .decrypts,
      marks: [["ejson", "host"]: .given, ["ejson", "messageType"]: .exactly("e2e")]),
    // ProtonMail/ios-mail ProtonMail/PushService/NotificationService.swift: `encryptedMessage` is an armored OpenPGP
    // message, and `UID` names the session whose key opens it.
    ForeignContent(
      app: "Proton Mail", deed: .decrypts, marks: [["UID"]: .given, ["encryptedMessage"]: .pgp]),
    // Finb/Bark NotificationServiceExtension/Processor/CiphertextProcessor.swift: at least a block, or a tag of GCM.
    ForeignContent(app: "Bark or an app like it", deed: .decrypts, marks: [["ciphertext"]: .base64(22)]),
  ]

  /// - Returns: nil if no row has the marks of `payload`.
  static func of(_ payload: Payload) -> ForeignContent? {
    let objects = payload.searchedObjects
    return rows.first { row in objects.contains { row.fits($0) } }
  }

  private func fits(_ object: JSONValue) -> Bool {
    marks.allSatisfy { place, mark in object[place].map(mark.fits) ?? false }
      && without.allSatisfy { object.given($0) == nil }
  }

  var failure: Failure {
    switch deed {
    case .decrypts:
      Failure(
        .noMedia, "its content is encrypted for the extension of \(app)",
        advice:
          "leave it to the app's extension; to have it opened here, send it in one of the shapes for --keys")
    case .fetches:
      Failure(
        .noMedia, "its content is fetched by the extension of \(app)",
        advice: "leave it to the app's extension, or have the server send the content itself")
    }
  }
}

extension ForeignContent.Mark {
  fileprivate func fits(_ value: JSONValue) -> Bool {
    switch self {
    case .given: value.kind != .null
    case .flag: value.bool == true || value.string == "true"
    case .exactly(let text): value.string == text
    case .base64(let count):
      value.utf8.map { $0.count >= count && $0.allSatisfy(Self.isBase64) } ?? false
    case .pgp: value.utf8?.starts(with: "-----BEGIN PGP MESSAGE-----".utf8) ?? false
    }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "="):
      true
    default: false
    }
  }
}
