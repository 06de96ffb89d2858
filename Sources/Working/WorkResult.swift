internal import Enriching
internal import Queueing
internal import Supporting

/// The body and the headers to publish for a message. A class: see `TaskPool`.
final class WorkResult: Sendable {
  /// In characters. It is a sentence, or two.
  private static let maximumDetail = 1_000

  let message: Message
  let outcome: String
  let failure: Failure?
  /// Why the target rejected the result, or nil if it did not.
  let rejection: Rejection?
  let elapsed: Duration
  let report: Report?

  convenience init(_ enrichment: Enrichment, of message: Message) {
    self.init(
      message, body: enrichment.outcome.bytes, outcome: enrichment.outcome.name,
      failure: enrichment.outcome.failure, elapsed: enrichment.report.elapsed, report: enrichment.report)
  }

  convenience init(unmodified message: Message, because failure: Failure) {
    self.init(message, body: message.body, outcome: "unmodified", failure: failure)
  }

  /// The dead letter of a message whose result was rejected.
  convenience init(of message: Message, _ rejection: Rejection, after elapsed: Duration) {
    var message = message
    // Headers of an earlier rejection would contradict the new ones.
    message.headers.removeAll { header in rejection.headers.contains { $0.name == header.name } }
    message.headers += rejection.headers
    self.init(message, body: message.body, outcome: "rejected", rejection: rejection, elapsed: elapsed)
  }

  private init(
    _ message: Message, body: [UInt8], outcome: String, failure: Failure? = nil, rejection: Rejection? = nil,
    elapsed: Duration = .zero, report: Report? = nil
  ) {
    self.outcome = outcome
    self.failure = failure
    self.rejection = rejection
    self.elapsed = elapsed
    self.report = report
    var message = message.withoutResultHeaders
    message.body = body
    // Reserved at once, so that the array does not grow with each header.
    message.headers.reserveCapacity(message.headers.count + (rejection == nil ? 4 : 5))
    message.headers.append(Header(ResultHeader.outcome, outcome))
    if let reason = failure?.reason.rawValue ?? rejection?.reason {
      message.headers.append(Header(ResultHeader.reason, reason))
    }
    if let leftOut = report?.leftOut { message.headers.append(Header(ResultHeader.leftOut, leftOut)) }
    if let detail = rejection?.detail {
      message.headers.append(Header(ResultHeader.detail, String(detail.printable.prefix(Self.maximumDetail))))
    }
    message.headers.append(Header(ResultHeader.elapsed, "\(elapsed.milliseconds)"))
    self.message = message
  }

  /// Whether it goes to the dead letters, for people to look at: alone if rejected, or as a copy.
  var isDeadLetter: Bool {
    rejection != nil || failure?.reason == .poison || failure?.reason == .invalidPayload
  }
}
