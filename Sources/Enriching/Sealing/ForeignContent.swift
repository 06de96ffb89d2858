internal import Notifications

/// Payloads of apps whose own extension decrypts or fetches what to show. Nobody else can: advice about places of
/// media would be wrong.
struct ForeignContent: Sendable {
  let app: String
  /// Where the content is.
  private let deed: Deed
  /// Texts of at least so many bytes, numbers or `true`, by their paths.
  private let marks: KeyValuePairs<String, Int>
  /// Members that are missing.
  private var without: [String] = []

  private enum Deed: String { case decrypts, fetches }

  /// The first row counts.
  private static let rows = [
    // home-assistant.io, companion app, "encrypted": the server sends both to the relay of the app.
    ForeignContent(app: "Home Assistant", deed: .decrypts, marks: ["encrypted": 0, "encrypted_data": 1]),
    // zulip.com/api, "Mobile notifications": EncryptedApnsPayload of server 11.
    ForeignContent(app: "Zulip", deed: .decrypts, marks: ["encrypted_data": 16]),
    // nextcloud/notifications lib/Push.php.
    ForeignContent(app: "Nextcloud", deed: .decrypts, marks: ["subject": 64, "signature": 64]),
    // session-foundation/session-ios, PushNotificationAPI.
    ForeignContent(app: "Session", deed: .decrypts, marks: ["enc_payload": 16]),
    // simplex-chat/simplexmq, Notifications.Server.Push.APNS.
    ForeignContent(
      app: "SimpleX", deed: .decrypts, marks: ["notificationData.nonce": 16, "notificationData.message": 16]),
    ForeignContent(app: "SimpleX", deed: .decrypts, marks: ["nonce": 16, "message": 64]),
    // Key ID(8) | message key(16) | AES-IGE of at least a block, in base64url.
    ForeignContent(app: "Telegram", deed: .decrypts, marks: ["p": 54], without: ["k", "s", "x", "i", "m"]),
    // matrix-org/sygnal, `event_id_only`.
    ForeignContent(
      app: "Matrix", deed: .fetches, marks: ["room_id": 1, "event_id": 1], without: ["content"]),
    // mattermost/mattermost-push-proxy.
    ForeignContent(app: "Mattermost", deed: .fetches, marks: ["id_loaded": 0, "ack_id": 1]),
    // RocketChat/Rocket.Chat, `ejson` with `messageType` or `notificationType` "message-id-only".
    ForeignContent(app: "Rocket.Chat", deed: .fetches, marks: ["ejson": 2]),
    // ProtonMail/ios-mail.
    ForeignContent(app: "Proton Mail", deed: .decrypts, marks: ["UID": 1, "encryptedMessage": 16]),
    ForeignContent(app: "Bark or an app like it", deed: .decrypts, marks: ["ciphertext": 22]),
  ]

  /// - Returns: nil if no row has the marks of `object`.
  static func of(_ object: JSONValue) -> ForeignContent? { rows.first { $0.fits(object) } }

  private func fits(_ object: JSONValue) -> Bool {
    marks.allSatisfy { path, count in
      let steps = path.split(separator: ".")
      guard let value = steps.reduce(Optional(object), { value, step in value?[String(step)] }) else {
        return false
      }
      return count == 0 ? value.bool == true || value.string == "true" : value.utf8?.count ?? 0 >= count
    } && without.allSatisfy { object.given($0) == nil }
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
