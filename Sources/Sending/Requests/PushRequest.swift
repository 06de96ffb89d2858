internal import Queueing

/// A push as APNs takes it, made from a message.
struct PushRequest: Sendable {
  /// Lower-case hexadecimal.
  let device: String
  let topic: String
  /// `apns-topic`, `apns-push-type`, `apns-id`, `apns-priority`, `apns-expiration`, `apns-collapse-id`, in
  /// this order, if they are set.
  let headers: [Header]
  let body: [UInt8]
  /// When the push is no longer to be sent, in seconds since 1970. Nil if never, or if it is tried once (0).
  let expiration: Int?
  /// How often the message has been put off.
  let attempts: Int

  /// - Parameters:
  ///   - topic: for messages without one.
  ///   - now: in seconds since 1970.
  init(_ message: Message, topic: String?, now: Int) throws(Rejection) {
    throw Rejection("device-token-missing", detail: "")
  }

  /// Why the push is not sent any more, if it has expired by now.
  func expiry(at now: Int) -> Rejection? { nil }
}
