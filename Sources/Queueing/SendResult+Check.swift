extension [SendResult] {
  /// Throws what the first message failed of that was not sent: `refused` for a rejection.
  package func check() throws(QueueError) {
    for result in self {
      switch result {
      case .sent: continue
      case .rejected(let rejection): throw .refused(rejection.detail)
      case .unavailable(let detail, _): throw .unavailable(detail)
      }
    }
  }
}
