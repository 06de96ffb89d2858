internal import Supporting

/// A host that is not asked now because it did not answer, be it for a few URLs only.
package struct UnhealthyHost: Sendable, Equatable {
  /// `https://media.example:443`.
  package let origin: String
  /// Since when it has not answered.
  package let since: ContinuousClock.Instant
  /// When one payload may ask it again; in the past while a probe is under way.
  package let nextTry: ContinuousClock.Instant
}

extension HostScheduler {
  /// In no order.
  var unhealthy: [UnhealthyHost] {
    hosts.compactMap { origin, host in
      host.outage.map {
        UnhealthyHost(origin: origin.description, since: $0.since.instant, nextTry: $0.nextTry.instant)
      }
    }
  }
}
