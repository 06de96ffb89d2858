/// An answer of APNs other than 200: the rows of Apple's "Handling notification responses from APNs".
package enum APNsReason: String, CaseIterable, Sendable {
  case BadCollapseId, BadDeviceToken, BadExpirationDate, BadMessageId, BadPriority, BadTopic
  case DeviceTokenNotForTopic, DuplicateHeaders, IdleTimeout, InvalidPushType, MissingDeviceToken,
    MissingTopic
  case PayloadEmpty, TopicDisallowed
  case BadCertificate, BadCertificateEnvironment, BadEnvironmentKeyIdInToken, ExpiredProviderToken, Forbidden
  case InvalidProviderToken, MissingProviderToken, UnrelatedKeyIdInToken
  case BadPath, MethodNotAllowed, ExpiredToken, Unregistered, PayloadTooLarge
  case TooManyProviderTokenUpdates, TooManyRequests, InternalServerError, ServiceUnavailable, Shutdown

  package var status: Int {
    switch self {
    case .BadCertificate, .BadCertificateEnvironment, .BadEnvironmentKeyIdInToken, .ExpiredProviderToken,
      .Forbidden, .InvalidProviderToken, .MissingProviderToken, .UnrelatedKeyIdInToken:
      403
    case .BadPath: 404
    case .MethodNotAllowed: 405
    case .ExpiredToken, .Unregistered: 410
    case .PayloadTooLarge: 413
    case .TooManyProviderTokenUpdates, .TooManyRequests: 429
    case .InternalServerError: 500
    case .ServiceUnavailable, .Shutdown: 503
    default: 400
    }
  }

  /// Whether APNs slows the connection down afterwards. A dead token does not count as an error.
  var isHeldAgainstSender: Bool { (400..<500).contains(status) && status != 410 }

  /// The device token that gets this answer from every mock: the reason's name in hexadecimal.
  package var deviceToken: String {
    rawValue.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  static let byDeviceToken = Dictionary(uniqueKeysWithValues: allCases.map { ($0.deviceToken, $0) })

  /// - Parameter now: in seconds since 1970.
  func body(at now: Int) -> [UInt8] {
    // When the token died: an hour ago, in milliseconds.
    let timestamp = status == 410 ? #","timestamp":\#((now - 3_600) * 1_000)"# : ""
    return Array(#"{"reason":"\#(rawValue)"\#(timestamp)}"#.utf8)
  }
}
