/// A host that is not asked now, be it for URLs that hang only, because it did not answer.
package struct UnhealthyHost: Sendable, Equatable {
  /// `https://media.example:443`.
  package let origin: String
  /// Since when it has not answered.
  package let since: ContinuousClock.Instant
  /// When one payload may ask it again; in the past while one does.
  package let nextTry: ContinuousClock.Instant
}

extension HostBook {
  /// In no order.
  var unhealthy: [UnhealthyHost] {
    hosts.compactMap { origin, host in
      host.outage.map {
        UnhealthyHost(origin: origin.description, since: $0.since, nextTry: $0.nextTry)
      }
    }
  }
}
