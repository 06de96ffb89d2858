internal import Queueing

extension PushAnswer {
  var kind: AnswerClass { AnswerRule(status: status, reason: reason).kind }

  /// Says what happened, to which push, and what to do. Shows only the start of the device token.
  /// - Parameter advice: what to do, if it differs from the advice of the answer's rule.
  func detail(_ request: PushRequest, advice: String? = nil) -> String {
    let advice = advice ?? AnswerRule(status: status, reason: reason).advice
    let push = request.id.map { "push \($0)" } ?? "a push"
    return
      "APNs answered \(status)\(reason.map { " \($0)" } ?? "") to \(push) for device \(request.device.prefix(8))… and topic \(request.topic): \(advice)"
  }

  /// For a push that is not sent again. Dead letters get the headers.
  func rejection(_ request: PushRequest) -> Rejection {
    let name =
      switch kind {
      case .tokenDead: "token-dead"
      case .tokenWrong: "token-wrong"
      default: "apns-rejected"
      }
    let headers = [
      Header("apns-status", "\(status)"), reason.map { Header("apns-reason", $0) },
      timestamp.map { Header("apns-timestamp", "\($0)") },
    ]
    return Rejection(name, detail: detail(request), headers: headers.compactMap { $0 })
  }
}
