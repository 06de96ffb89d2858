/// Names of the headers that a worker adds to what it publishes.
package enum ResultHeader {
  /// `enriched`, or `unmodified`.
  package static let outcome = "enrich-outcome"
  /// Why a payload is unmodified; only then.
  package static let reason = "enrich-reason"
  /// Whole milliseconds from receipt to result.
  package static let elapsed = "enrich-elapsed-ms"

  fileprivate static let prefix = "enrich-"
}

extension Message {
  /// The message without headers whose names begin with `enrich-`: those of an earlier result would
  /// contradict the next one.
  package var withoutResultHeaders: Message {
    var message = self
    message.headers.removeAll { $0.name.utf8.starts(with: ResultHeader.prefix.utf8) }
    return message
  }
}
