internal import Enriching
internal import Fetching
internal import Sniffing
internal import Supporting

/// The counts of one medium.
struct MediumTally {
  /// The host that was asked last.
  private(set) var host: String?
  let reason: Reason?
  private let hops: [Hop]
  private let storing: Duration?
  private(set) var visits: [HostRow] = []
  /// The size of all bodies in bytes.
  private(set) var received = 0
  /// The size in bytes, or nil if the medium is not attached.
  let attached: Int?
  /// The kind of the warning about the attached file.
  let warning: String?

  /// - Parameter elapsed: how long the whole payload took, in microseconds.
  init(_ report: MediaReport, elapsed: Int) {
    reason = report.failure?.reason
    attached = report.stored?.size
    warning = report.warning?.rawValue
    hops = report.fetch.hops
    storing = report.storing
    // Skips media from the cache: they have no host to count, and a campaign has many of them.
    if hops.isEmpty, attached == nil { host = HostName.of(report.url) }
    for (number, hop) in hops.enumerated() {
      received += hop.received
      host = HostName.of(hop.url)
      guard let host else { continue }
      // The last response may be complete and still not be the medium.
      let isLast = number == hops.count - 1
      let failed = hop.error != nil || isLast && reason != nil && reason != .storeFailed
      visits.append(HostRow(host: host, microseconds: hop.timings.total, failed: failed))
    }
    // At the deadline, the request that is still running is not a hop yet.
    guard attached == nil, reason == nil, report.fetch.phase != .done else { return }
    if report.fetch.phase == .receiving { received += report.fetch.received }
    if let host {
      let before = hops.reduce(0) { $0 + $1.timings.total }
      visits.append(HostRow(host: host, microseconds: elapsed - before, failed: true))
    }
  }

  /// Calls `body` with the time of each stage, in microseconds.
  func forEachDuration(_ body: (Stage, Int) -> Void) {
    for hop in hops { Stage.forEachDuration(of: hop, body) }
    if let storing { body(.store, storing.microseconds) }
  }
}
