extension Fetcher {
  /// Waits for permission to ask the host of a URL. Where `FetchSettings.hosts` is set, nothing is fetched
  /// without.
  ///
  /// - Parameters:
  ///   - bytes: memory that the caller takes while it waits, in bytes.
  ///   - onWait: called before waiting, so that the caller can give back what others could use meanwhile.
  /// - Returns: nil where `FetchSettings.hosts` is not set.
  /// - Throws: `FetchError.cancelled` when the task is cancelled while it waits; `.hostUnhealthy` when the
  ///   host must not be asked, and the journal has it then; what `fetch` throws for a URL that it refuses, so
  ///   that nothing waits for that.
  package func permit(
    for url: RemoteURL, journal: FetchJournal, bytes: Int, onWait: () -> Void
  ) async throws(FetchError) -> HostPermit? {
    guard let hosts else { return nil }
    let answer = try await hosts.permit(for: try request(for: url, bytes: bytes)) {
      journal.update { $0.phase = .awaitingPermit }
      onWait()
    }
    journal.update { $0.phase = .queued }
    switch answer {
    case .success(let permit): return permit
    case .failure(let refusal): throw note(refusal, of: url, journal)
    }
  }

  // Not inlined, as with `fetch`.
  @inline(never)
  private func request(for url: RemoteURL, bytes: Int) throws(FetchError) -> PermitRequest {
    try settings.check(url)
    return PermitRequest(url, bytes: bytes)
  }

  @inline(never)
  private func note(_ refusal: HostRefusal, of url: RemoteURL, _ journal: FetchJournal) -> FetchError {
    let error = FetchError.hostUnhealthy(host: url.host, refusal)
    journal.append(Hop(url: journal.name(of: url), attempt: 1, error: error))
    return error
  }

  /// Whether more payloads should be taken up: those that wait have memory, and none of them waits for its
  /// name to be looked up.
  package var isOpen: Bool { hosts?.isOpen ?? true }

  /// Returns once `isOpen` is true, or the task is cancelled.
  package func waitUntilOpen() async { await hosts?.waitUntilOpen() }

  /// Hosts that are not asked now, in no order.
  package var unhealthyHosts: [UnhealthyHost] { hosts?.unhealthy ?? [] }
}
