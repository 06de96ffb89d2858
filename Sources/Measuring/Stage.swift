package import Fetching

/// What the time of a download goes into, one after the other.
package enum Stage: String, CaseIterable, Sendable {
  /// Until the host's addresses are known; short where they were known.
  case lookup
  /// Until a new connection is there.
  case connect
  /// The handshake.
  case tls
  /// From asking until the answer begins.
  case firstByte = "first-byte"
  /// Until all of the body is there, sniffed and written.
  case transfer
  /// Until the file has its name and is on the disk.
  case store

  /// How long each stage took that a request has come through, in microseconds. What a connection that is
  /// used again leaves out is left out.
  package static func durations(of hop: Hop) -> [(Stage, Int)] {
    if case .dnsFailed = hop.error { return [(.lookup, hop.timings.total)] }
    var durations: [(Stage, Int)] = []
    var last = 0
    let timings = hop.timings
    for (stage, end) in [
      (Stage.lookup, timings.dns), (.connect, timings.connect), (.tls, timings.tls),
      (.firstByte, timings.firstByte),
    ] {
      guard let end else { continue }
      durations.append((stage, max(0, end - last)))
      last = end
    }
    if timings.firstByte != nil, hop.error == nil {
      durations.append((.transfer, max(0, timings.total - last)))
    }
    return durations
  }
}
