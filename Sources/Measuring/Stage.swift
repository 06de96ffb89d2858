internal import Fetching

/// The stages of a download, in order.
package enum Stage: String, CaseIterable, Sendable {
  /// Until the addresses of the host are known.
  case lookup
  /// Until a new connection is open.
  case connect
  /// The TLS handshake.
  case tls
  /// From the request to the first byte of the response.
  case firstByte = "first-byte"
  /// Until the whole body has arrived and is sniffed.
  case transfer
  /// Until the file is on the disk under its name.
  case store

  /// Calls `body` with the time of each stage that a request has completed, in microseconds. A
  /// reused connection skips some stages.
  static func forEachDuration(of hop: Hop, _ body: (Stage, Int) -> Void) {
    if case .dnsFailed = hop.error { return body(.lookup, hop.timings.total) }
    let timings = hop.timings
    var last = 0
    func end(_ stage: Stage, at time: Int?) {
      guard let time else { return }
      body(stage, max(0, time - last))
      last = time
    }
    end(.lookup, at: timings.dns)
    end(.connect, at: timings.connect)
    end(.tls, at: timings.tls)
    end(.firstByte, at: timings.firstByte)
    if timings.firstByte != nil, hop.error == nil { end(.transfer, at: timings.total) }
  }
}
