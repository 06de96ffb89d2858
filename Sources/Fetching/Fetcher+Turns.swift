extension Fetcher {
  /// Waits until the hosts of these URLs may be asked. Nothing is asked without a turn where there are `FetchSettings.hosts`.
  ///
  /// - Parameters:
  ///   - media: what is to be fetched together.
  ///   - bytes: memory that is taken meanwhile, in bytes.
  ///   - onWait: called before it waits: what others could use meanwhile is to be given back.
  /// - Returns: nil where nobody has to share. Hosts that are refused are so by `fetch`.
  /// - Throws: `FetchError.cancelled` when the task is cancelled.
  package func turn(
    for media: [(url: String, journal: FetchJournal)], bytes: Int, onWait: () -> Void
  ) async throws(FetchError) -> HostTurn? {
    guard let hosts else { return nil }
    var counts: [Origin: Int] = [:]
    for medium in media {
      guard let url = allowedURL(medium.url) else { continue }
      counts[Origin(url), default: 0] += 1
    }
    let turn = try await hosts.turn(for: HostRequest(media: counts, bytes: bytes)) {
      for medium in media { medium.journal.update { $0.phase = .standingInLine } }
      onWait()
    }
    for medium in media { medium.journal.update { $0.phase = .queued } }
    return turn
  }

  /// Whether there is memory for those who may have to wait for their turns.
  package var isOpen: Bool { hosts?.isOpen ?? true }

  /// Waits until there is.
  package func opening() async { await hosts?.opening() }

  /// Hosts that are not asked now, in no order.
  package var unhealthyHosts: [UnhealthyHost] { hosts?.unhealthy ?? [] }

  /// Nil for what `fetch` refuses before it asks anybody.
  private func allowedURL(_ text: String) -> RemoteURL? {
    do throws(FetchError) {
      let url = try RemoteURL(text)
      try settings.check(url)
      return url
    } catch {
      return nil
    }
  }
}
