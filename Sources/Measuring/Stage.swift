internal import Fetching

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
  /// Until all of the body is there, and sniffed.
  case transfer
  /// Until the file is written, has its name and is on the disk.
  case store

  /// Calls `body` with how long each stage took that a request has come through, in microseconds. What a
  /// connection that is used again leaves out is left out.
  static func forEachDuration(of hop: Hop, _ body: (Stage, Int) -> Void) {
    if case .dnsFailed = hop.error { return body(.lookup, hop.timings.total) }
    var last = 0
    func end(_ stage: Stage, at time: Int?) {
      guard let time else { return }
      body(stage, max(0, time - last))
      last = time
    }
    let timings = hop.timings
    end(.lookup, at: timings.dns)
    end(.connect, at: timings.connect)
    end(.tls, at: timings.tls)
    end(.firstByte, at: timings.firstByte)
    if timings.firstByte != nil, hop.error == nil { end(.transfer, at: timings.total) }
  }
}
