internal import Queueing

extension QueueError {
  /// Its name in metrics.
  var kind: String {
    switch self {
    case .urlInvalid, .refused: "refused"
    case .unavailable: "unavailable"
    case .leaseLost: "lease_lost"
    }
  }

  /// The same error, with the number of messages that were read and are lost.
  func losing(_ count: Int) -> QueueError {
    guard count > 0 else { return self }
    let text =
      "\(self); \(count) \(count == 1 ? "payload" : "payloads") read before that are in no queue any more"
    if case .unavailable = self { return .unavailable(text) }
    return .refused(text)
  }
}
