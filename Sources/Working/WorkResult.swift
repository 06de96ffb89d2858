internal import Enriching
internal import Queueing
internal import Supporting

/// What became of a message: the body and the headers to publish.
struct WorkResult: Sendable {
  let message: Message
  let outcome: String
  let failure: Failure?
  let elapsed: Duration
  /// How it came to it; nil where nobody looked into the message.
  let report: Report?

  init(_ enrichment: Enrichment, of message: Message) {
    self.init(
      message, body: enrichment.outcome.bytes, outcome: enrichment.outcome.name,
      failure: enrichment.outcome.failure, elapsed: enrichment.report.elapsed, report: enrichment.report)
  }

  /// A message that goes on as it came without having been looked into.
  init(unmodified message: Message, reason: Reason, detail: String) {
    self.init(
      message, body: message.body, outcome: "unmodified", failure: Failure(reason, detail), elapsed: .zero,
      report: nil)
  }

  private init(
    _ message: Message, body: [UInt8], outcome: String, failure: Failure?, elapsed: Duration, report: Report?
  ) {
    self.outcome = outcome
    self.failure = failure
    self.elapsed = elapsed
    self.report = report
    // Those of an earlier round would contradict the new ones.
    var headers = message.headers.filter { !$0.name.utf8.starts(with: "enrich-".utf8) }
    headers.append(Header("enrich-outcome", outcome))
    if let failure { headers.append(Header("enrich-reason", failure.reason.rawValue)) }
    headers.append(Header("enrich-elapsed-ms", "\(elapsed.milliseconds)"))
    var message = message
    message.body = body
    message.headers = headers
    self.message = message
  }

  /// Whether somebody should look at it.
  var isDeadLetter: Bool { failure?.reason == .poison || failure?.reason == .invalidPayload }
}
