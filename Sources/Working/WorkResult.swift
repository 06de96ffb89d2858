internal import Enriching
internal import Queueing
internal import Supporting

/// The result of a message: the body and the headers to publish. A class, because a worker holds it in a
/// frame on the heap until it is published.
final class WorkResult: Sendable {
  let message: Message
  let outcome: String
  let failure: Failure?
  let elapsed: Duration
  /// The steps of the enrichment; nil for a message that was not processed.
  let report: Report?

  convenience init(_ enrichment: Enrichment, of message: Message) {
    self.init(
      message, body: enrichment.outcome.bytes, outcome: enrichment.outcome.name,
      failure: enrichment.outcome.failure, elapsed: enrichment.report.elapsed, report: enrichment.report)
  }

  /// A message that is published as it came, without having been processed.
  convenience init(unmodified message: Message, because failure: Failure) {
    self.init(
      message, body: message.body, outcome: "unmodified", failure: failure, elapsed: .zero, report: nil)
  }

  private init(
    _ message: Message, body: [UInt8], outcome: String, failure: Failure?, elapsed: Duration, report: Report?
  ) {
    self.outcome = outcome
    self.failure = failure
    self.elapsed = elapsed
    self.report = report
    var message = message.withoutResultHeaders
    message.body = body
    // All of these at once, not in an array that grows with each.
    message.headers.reserveCapacity(message.headers.count + 3)
    message.headers.append(Header(ResultHeader.outcome, outcome))
    if let failure { message.headers.append(Header(ResultHeader.reason, failure.reason.rawValue)) }
    message.headers.append(Header(ResultHeader.elapsed, "\(elapsed.milliseconds)"))
    self.message = message
  }

  /// Whether a copy goes to the dead letters, for people to look at.
  var isDeadLetter: Bool { failure?.reason == .poison || failure?.reason == .invalidPayload }
}
