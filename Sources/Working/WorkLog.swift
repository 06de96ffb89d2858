internal import Enriching
package import Logging
internal import Measuring
package import Queueing
internal import Supporting

/// The log of a worker: one line per outcome, and errors of its queues.
package struct WorkLog: Sendable {
  private let logger: Logger
  private let queue: String?
  private let troubles = Troubles()

  package init(_ logger: Logger, queue: String? = nil) {
    self.logger = logger
    self.queue = queue
  }

  func outcome(_ result: WorkResult) {
    var metadata = Logger.Metadata(minimumCapacity: 6)
    metadata["id"] = .string(result.message.id)
    metadata["outcome"] = .string(result.outcome)
    metadata["elapsed_ms"] = .string(String(result.elapsed.milliseconds))
    if let queue { metadata["queue"] = .string(queue) }
    if let id = result.message.apnsID { metadata["apns_id"] = .string(id) }
    if let media = result.report?.media { metadata.merge(Self.metadata(of: media, result)) { $1 } }
    if let leftOut = result.report?.leftOut { metadata["left_out"] = .string(leftOut) }
    if let category = result.report?.category {
      if let identifier = category.identifier { metadata["category"] = .string(identifier) }
      if let refusal = category.refusal { metadata["category_detail"] = .string(refusal) }
    }
    // Only what there is: removing what is not there is a search, too.
    if let reason = result.failure?.reason.rawValue ?? result.rejection?.reason {
      metadata["reason"] = .string(reason)
    }
    if let detail = result.failure?.detail ?? result.rejection?.detail {
      metadata["detail"] = .string(detail)
    }
    if let failure = result.failure, failure.reason.isFailure { metadata["advice"] = "\(failure.advice)" }
    // An address that was refused may be an attack, even if other media of the payload are attached.
    let isWarning =
      result.failure?.reason.isFailure == true || result.rejection != nil || metadata["refused"] != nil
    logger.log(level: isWarning ? .warning : .info, "\(result.outcome)", metadata: metadata)
  }

  /// Metadata about the media that failed. Contains only the host of a URL.
  private static func metadata(of media: [MediaReport], _ result: WorkResult) -> Logger.Metadata {
    let failures = media.filter { $0.stored == nil }
    guard let first = failures.first else { return [:] }
    var metadata: Logger.Metadata = [:]
    if let host = HostName.of(first) { metadata["host"] = "\(host)" }
    let refused = failures.compactMap(\.refusedAddress)
    if !refused.isEmpty { metadata["refused"] = "\(refused.joined(separator: "; "))" }
    guard media.count > 1 else { return metadata }
    metadata["media"] = "\(media.count)"
    metadata["attached"] = "\(result.failure == nil ? media.count - failures.count : 0)"
    let reasons = failures.compactMap { $0.failure?.reason.rawValue }
    if !reasons.isEmpty { metadata["media_reasons"] = "\(reasons.joined(separator: ","))" }
    return metadata
  }

  func postponed(_ message: Message, _ duration: Duration, _ detail: String) {
    logger.info(
      "put aside",
      metadata: ["id": "\(message.id)", "for_ms": "\(duration.milliseconds)", "detail": "\(detail)"])
  }

  package func warn(_ text: String) { logger.warning("\(text)") }

  /// - Parameter detail: which push, why, and what to do.
  package func unnumbered(_ detail: String) {
    trouble(.numbering, detail: detail)
  }

  /// - Parameter error: nil if missed pushes can be sent again.
  package func resending(_ error: QueueError?) {
    if let error { trouble(.resending, error) } else { over(.resending) }
  }

  func trouble(_ text: String, _ error: QueueError, id: String) {
    logger.error("\(text)", metadata: ["error": "\(error)", "id": "\(id)"])
  }

  func trouble(
    _ kind: Troubles.Kind, _ error: (any Error)? = nil, id: String? = nil, detail: String? = nil
  ) {
    guard let count = troubles.meet(kind) else { return }
    var metadata: Logger.Metadata = [:]
    if let detail { metadata["detail"] = "\(detail)" }
    if let error { metadata["error"] = "\(error)" }
    if let id { metadata["id"] = "\(id)" }
    if count > 1 { metadata["times"] = "\(count)" }
    logger.log(level: error == nil ? .warning : .error, "\(kind.rawValue)", metadata: metadata)
  }

  func over(_ kind: Troubles.Kind) {
    guard let end = kind.end, let duration = troubles.end(kind) else { return }
    logger.info("\(end)", metadata: ["after_ms": "\(duration.milliseconds)"])
  }
}

extension MediaReport {
  /// The host whose address was refused, with that address, or nil if none was refused.
  fileprivate var refusedAddress: String? {
    guard let failure, failure.reason == .addressBlocked else { return nil }
    let host = HostName.last(of: self)
    return host.map { "\($0): \(failure.detail)" } ?? failure.detail
  }
}
