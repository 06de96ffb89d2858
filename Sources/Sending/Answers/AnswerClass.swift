/// The meaning of an answer from APNs for its push.
enum AnswerClass: Sendable, Equatable {
  case sent
  /// The app is gone from the device. Never send to this token again.
  case tokenDead
  /// Usually a sandbox token that was sent to production, or the other way round. Says nothing about the
  /// device.
  case tokenWrong
  /// APNs will never take this push.
  case rejected
  /// APNs takes no push at all with this key or certificate.
  case credentials
  /// APNs takes no push to this topic with this key or certificate, or none at all. Its documentation does
  /// not say which.
  case forbidden
  case tokenExpired, tooManyTokens
  case deviceTooFast
  case later
  case shutdown
  /// The connection was idle for too long. The push was not handled.
  case idle
}

/// One row for each reason in *Handling notification responses from APNs*, and for a few more that were seen.
struct AnswerRule: Sendable {
  let kind: AnswerClass
  let advice: String

  /// Finds the rule for a reason. An unknown reason goes by its status.
  init(status: Int, reason: String?) {
    self =
      status == 200
      ? AnswerRule(.sent, "there is nothing to do")
      : reason.flatMap { Self.reasons[$0] } ?? Self.statuses[status]
        ?? (400...499 ~= status ? Self.refusal : Self.trouble)
  }

  private init(_ kind: AnswerClass, _ advice: String) { (self.kind, self.advice) = (kind, advice) }

  private static let reasons: [String: AnswerRule] = [
    "Unregistered": gone,
    "ExpiredToken": gone,

    "BadDeviceToken": AnswerRule(
      .tokenWrong,
      "tokens of development builds work with api.sandbox.push.apple.com only, all others with api.push.apple.com; so check the host, and do not delete the token"
    ),
    "DeviceTokenNotForTopic": AnswerRule(.tokenWrong, "the token is of another app: check apns-topic"),

    "BadCollapseId": AnswerRule(.rejected, "apns-collapse-id has at most 64 bytes"),
    "BadExpirationDate": AnswerRule(.rejected, "apns-expiration is in seconds since 1970"),
    "BadMessageId": AnswerRule(.rejected, "apns-id is a UUID"),
    "BadPriority": AnswerRule(.rejected, "apns-priority is 10, 5 or 1, and not 10 for background"),
    "BadTopic": AnswerRule(.rejected, "check apns-topic: it is the app's bundle id"),
    "DuplicateHeaders": AnswerRule(.rejected, "report this, because no header is sent twice"),
    "InvalidPushType": AnswerRule(.rejected, "check apns-push-type: it has to fit the payload and the topic"),
    "MissingDeviceToken": AnswerRule(.rejected, "check device-token"),
    "MissingTopic": AnswerRule(.rejected, "the certificate is for several topics: add apns-topic"),
    "PayloadEmpty": AnswerRule(.rejected, "put a payload into the message"),
    "TopicDisallowed": AnswerRule(.rejected, "this key or certificate may not send to the topic: check both"),
    "BadPath": AnswerRule(.rejected, "check device-token, and that the host is one of APNs'"),
    "MethodNotAllowed": AnswerRule(.rejected, "check that the host is one of APNs'"),
    "PayloadTooLarge": AnswerRule(.rejected, "APNs takes 4096 bytes, and 5120 for voip"),

    "BadCertificate": AnswerRule(.credentials, "put a valid certificate in the place of certificate="),
    "BadCertificateEnvironment": AnswerRule(
      .credentials, "the certificate is for the other environment: change the host, or the certificate"),
    "InvalidProviderToken": AnswerRule(
      .credentials, "check key-id and team-id, that the key belongs to them, and that it has not been revoked"
    ),
    "MissingProviderToken": AnswerRule(
      .credentials, "add key=, key-id= and team-id= to the URL, or certificate="),
    "Forbidden": forbidden,
    "BadEnvironmentKeyIdInToken": otherEnvironment,
    "BadEnvironmentKeyInToken": otherEnvironment,
    "UnrelatedKeyIdInToken": AnswerRule(
      .shutdown, "the connection began with another key: it is sent again on another one"),

    "ExpiredProviderToken": AnswerRule(
      .tokenExpired, "check the clock: a token is taken for an hour from when it was made"),
    "TooManyProviderTokenUpdates": AnswerRule(
      .tooManyTokens,
      "wait 20 minutes, and look for other programs with this key that make new tokens too often"),

    "TooManyRequests": tooFast,
    "InternalServerError": trouble,
    "ServiceUnavailable": trouble,
    "Shutdown": AnswerRule(.shutdown, "it is sent again on another connection"),
    "IdleTimeout": AnswerRule(.idle, "it is sent again on another connection"),
  ]

  private static let statuses: [Int: AnswerRule] = [
    403: forbidden, 408: trouble, 410: gone, 429: tooFast,
  ]

  private static let gone = AnswerRule(
    .tokenDead, "the app was removed from the device, or has a new token: do not send to this one again")
  private static let otherEnvironment = AnswerRule(
    .credentials, "the key is for the other environment: change the host, or the key")
  private static let forbidden = AnswerRule(
    .forbidden, "check in the developer account that the key or certificate is for this topic")
  private static let tooFast = AnswerRule(
    .deviceTooFast, "send less often to this device; the push is sent again later")
  private static let refusal = AnswerRule(.rejected, "Apple's documentation of APNs' answers may know more")
  /// Also used for statuses that APNs does not document, because they say nothing about the push.
  private static let trouble = AnswerRule(
    .later, "it is sent again later; if this goes on, check the host and Apple's system status")
}
