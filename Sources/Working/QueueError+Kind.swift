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
}
