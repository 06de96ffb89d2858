internal import Queueing

/// What an answer of APNs means for its push.
enum AnswerClass: Sendable, Equatable {
  case sent
  /// The app is gone from the device. Never send to this token again.
  case tokenDead
  /// Mostly a token of the sandbox sent to production, or the other way round. Says nothing about the device.
  case tokenWrong
  /// APNs will never take this push.
  case rejected
  /// APNs takes no push with this key or certificate.
  case credentials
  case tokenExpired, tooManyTokens
  case deviceTooFast
  case later
  case shutdown
  /// The connection was idle for too long. The push was not handled.
  case idle
}

extension PushAnswer {
  var kind: AnswerClass { status == 200 ? .sent : .later }

  /// What happened, to what, and what to do.
  func detail(_ request: PushRequest) -> String { "APNs answered \(status)" }

  func rejection(_ request: PushRequest) -> Rejection {
    Rejection("apns-rejected", detail: detail(request))
  }
}
