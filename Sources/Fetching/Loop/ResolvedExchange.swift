internal import Supporting

/// An exchange whose host's addresses are known.
struct ResolvedExchange {
  let exchange: Exchange
  /// What its host resolved to; nil when it is an address itself.
  let addresses: [IPAddress]?
  /// When the exchange began, its lookup included.
  let started: ContinuousClock.Instant
  /// When its addresses were known.
  let resolved = ContinuousClock.now

  /// When its transfer may begin even where memory is short: others may keep theirs until their deadline.
  var latestBegin: ContinuousClock.Instant { resolved + resolved.duration(to: exchange.end) / 8 }
}
