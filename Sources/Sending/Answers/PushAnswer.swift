internal import Notifications
internal import Queueing
internal import Supporting

/// APNs' answer to a push: the status and the headers of its response, and its JSON body
/// (developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
struct PushAnswer: Sendable, Equatable {
  /// In bytes. APNs sends less than 100.
  static let maximumBody = 4_096
  /// In bytes. Reasons go into logs, headers of dead letters and metrics.
  private static let maximumText = 64

  let status: Int
  /// Nil if the body has no reason, as for 200, or if the reason is not a word.
  let reason: String?
  /// When APNs learned that the token is dead, in milliseconds since 1970. Only with 410.
  let timestamp: Int?

  /// - Parameter body: at most `maximumBody` bytes are read. Anything but APNs' JSON counts as empty.
  init(status: Int, body: [UInt8] = []) {
    self.status = status
    let json = body.isEmpty ? nil : try? JSONDocument(body, maximumDepth: 8, maximumLength: Self.maximumBody)
    reason = json?.root["reason"]?.string.flatMap { Self.isWord($0) ? $0 : nil }
    timestamp = json?.root["timestamp"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
  }

  private static func isWord(_ text: String) -> Bool {
    (1...maximumText).contains(text.utf8.count) && text.utf8.allSatisfy(\.isUnreserved)
  }
}
