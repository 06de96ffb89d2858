extension SendResult {
  /// For callers that have no dead letters.
  package func orThrow() throws(QueueError) {
    switch self {
    case .sent: break
    case .rejected(let rejection): throw .refused(rejection.detail)
    case .unavailable(let detail, _): throw .unavailable(detail)
    }
  }
}
