internal import Enriching
package import Logging
internal import Queueing
internal import Supporting

/// What a worker tells: one line per outcome, and what is in its way.
package struct WorkLog: Sendable {
  private let logger: Logger

  package init(_ logger: Logger) { self.logger = logger }

  func outcome(_ result: WorkResult) {
    var metadata: Logger.Metadata = [
      "id": "\(result.message.id)", "outcome": "\(result.outcome)",
      "elapsed_ms": "\(result.elapsed.milliseconds)",
    ]
    if let failure = result.failure {
      metadata["reason"] = "\(failure.reason.rawValue)"
      metadata["detail"] = "\(failure.detail)"
    }
    logger.log(
      level: result.failure?.reason.isFailure == true ? .warning : .info, "\(result.outcome)",
      metadata: metadata)
  }

  func trouble(_ text: String, _ error: QueueError) {
    logger.error("\(text)", metadata: ["error": "\(error)"])
  }
}
