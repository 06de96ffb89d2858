internal import Queueing

extension QueueError {
  /// As it is counted.
  var kind: String {
    switch self {
    case .urlInvalid, .refused: "refused"
    case .unavailable: "unavailable"
    case .leaseLost: "lease_lost"
    }
  }

  /// The same where `count` messages have left their queue for nothing.
  func losing(_ count: Int) -> QueueError {
    guard count > 0 else { return self }
    let text =
      "\(self); \(count) \(count == 1 ? "payload" : "payloads") read before that are in no queue any more"
    if case .unavailable = self { return .unavailable(text) }
    return .refused(text)
  }
}
