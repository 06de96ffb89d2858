internal import Queueing

/// The JSON Web Token that all connections with one key share.
final class ProviderToken: Sendable {
  init(file: String, keyID: String, teamID: String) throws(QueueError) {
    throw .refused("")
  }

  /// `bearer …`, the same text until it is renewed. Reads the key file again if it has changed.
  func authorization() throws(QueueError) -> String { "" }

  /// Makes a new token after APNs has refused `authorization` as expired.
  /// - Returns: whether there is a newer one now. If not, wait.
  func renew(after authorization: String) -> Bool { false }

  /// Notes that APNs took a push with this token.
  func accept(_ authorization: String) {}

  /// The time since the current token was made. Nil before its first use.
  var age: Duration? { nil }
}
