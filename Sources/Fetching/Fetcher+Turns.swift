extension Fetcher {
  /// Waits until the host of a URL may be asked. Nothing is asked without a turn where there are `FetchSettings.hosts`.
  ///
  /// - Parameters:
  ///   - bytes: memory that is taken meanwhile, in bytes.
  ///   - onWait: called before it waits: what others could use meanwhile is to be given back.
  /// - Returns: nil where nobody has to share.
  /// - Throws: `FetchError.cancelled` when the task is cancelled; what `fetch` throws before it asks anybody, so that nobody waits for that.
  package func turn(
    for text: String, journal: FetchJournal, bytes: Int, onWait: () -> Void
  ) async throws(FetchError) -> HostTurn? {
    guard let hosts else { return nil }
    let url = try RemoteURL(text)
    try settings.check(url)
    let turn = try await hosts.turn(for: HostRequest(url, bytes: bytes)) {
      journal.update { $0.phase = .standingInLine }
      onWait()
    }
    journal.update { $0.phase = .queued }
    return turn
  }

  /// Whether there is memory for those who may have to wait for their turns, and nobody who waits to be begun.
  package var isOpen: Bool { hosts?.isOpen ?? true }

  /// Waits until it is so.
  package func opening() async { await hosts?.opening() }

  /// Hosts that are not asked now, in no order.
  package var unhealthyHosts: [UnhealthyHost] { hosts?.unhealthy ?? [] }
}
