/// The answer of a `Sink` to one message. Indirect, so that a waiting settlement holds one word.
package indirect enum SendResult: Sendable, Equatable {
  /// The message is as durable as the sink makes it.
  case sent
  /// The sink will never take this message.
  case rejected(Rejection)
  /// The sink does not take this message now. Try again, `after` some time if the sink asks for it.
  case unavailable(_ detail: String, after: Duration?)

  /// For callers that have no dead letters.
  package func orThrow() throws(QueueError) {
    switch self {
    case .sent: break
    case .rejected(let rejection): throw .refused(rejection.detail)
    case .unavailable(let detail, _): throw .unavailable(detail)
    }
  }
}

/// Why a sink will never take a message. The message goes to the dead letters.
package struct Rejection: Error, Equatable {
  /// A stable name out of a few, like `message-too-large`. Metrics count by it.
  package let reason: String
  /// What happened and what to do about it, in one sentence.
  package let detail: String
  /// Added to the dead letter, for example the status that a service answered with.
  package let headers: [Header]

  package init(_ reason: String, detail: String, headers: [Header] = []) {
    self.reason = reason
    self.detail = detail
    self.headers = headers
  }
}
