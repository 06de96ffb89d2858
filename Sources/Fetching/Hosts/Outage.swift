internal import Supporting

/// A period in which a host does not respond. Once that is certain, only probes may go to it.
struct Outage {
  private static let maximumURLs = 16

  let since: Instant
  private(set) var nextTry: Instant
  /// Whether a request has failed, and not just taken long so far.
  var isCertain = false
  var probe: HostPermit.ID?
  private var pause: Duration
  private var silent: Set<URLHash> = []
  /// Whether the whole host is out. One URL that hangs says nothing about another.
  private(set) var isWhole = false

  init(since start: Instant, _ limits: HostLimits) {
    since = start
    nextTry = start
    pause = limits.firstPause
  }

  var isOver: Bool { !isWhole && silent.isEmpty }

  func concerns(_ url: URLHash) -> Bool { isWhole || silent.contains(url) }

  /// - Parameter isHostSilent: whether the host has answered nothing else in the meantime.
  mutating func add(_ url: URLHash, isHostSilent: Bool, at now: Instant, _ limits: HostLimits) {
    let wasOver = isOver
    if silent.count < Self.maximumURLs { silent.insert(url) }
    if isHostSilent, silent.count > limits.maximumSilentURLs, !isWhole {
      close(at: now, limits)
    } else if wasOver {
      nextTry = now + pause * limits.jitterFactor()
    }
  }

  mutating func close(at now: Instant, _ limits: HostLimits) {
    isWhole = true
    nextTry = now + pause * limits.jitterFactor()
  }

  /// Notes that `url` was answered. If the whole host was out, it is back.
  mutating func end(for url: URLHash) {
    guard isWhole || silent.remove(url) != nil else { return }
    if isWhole { silent = [] }
    isWhole = false
    probe = nil
  }

  mutating func pause(at now: Instant, _ limits: HostLimits) {
    isCertain = true
    pause = min(pause * 2, limits.longestPause)
    nextTry = now + pause * limits.jitterFactor()
    probe = nil
  }
}

/// A host that gets no requests now because it did not respond, possibly for only a few URLs.
package struct UnhealthyHost: Sendable, Equatable {
  package let origin: String
  package let since: ContinuousClock.Instant
  /// When one payload may try it again; in the past while a probe is under way.
  package let nextTry: ContinuousClock.Instant
}
