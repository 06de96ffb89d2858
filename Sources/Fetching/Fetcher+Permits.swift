extension Fetcher {
  /// Waits for permission to ask the host of a URL. Where `FetchSettings.hosts` is set, nothing is fetched
  /// without.
  ///
  /// - Parameters:
  ///   - bytes: memory that the caller takes while it waits, in bytes.
  ///   - turn: of the payload: whether it may go back to its queue instead.
  ///   - onWait: called before waiting, so that the caller can give back what others could use meanwhile.
  /// - Returns: nil where `FetchSettings.hosts` is not set.
  /// - Throws: `FetchError.cancelled` when the task is cancelled while it waits; `.hostUnhealthy` when the
  ///   host must not be asked, and the journal has it then, with `.busy` if the payload goes back; what `fetch` throws for a URL that it refuses, so
  ///   that nothing waits for that.
  package func permit(
    for url: RemoteURL, journal: FetchJournal, bytes: Int, turn: PayloadTurn, onWait: () -> Void
  ) async throws(FetchError) -> HostPermit? {
    guard let hosts else { return nil }
    let answer = try await hosts.permit(for: try request(for: url, bytes: bytes, turn)) {
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
  private func request(
    for url: RemoteURL, bytes: Int, _ turn: PayloadTurn
  ) throws(FetchError) -> PermitRequest {
    try settings.check(url)
    return PermitRequest(url, bytes: bytes, turn: turn)
  }

  @inline(never)
  private func note(_ refusal: HostRefusal, of url: RemoteURL, _ journal: FetchJournal) -> FetchError {
    let error = FetchError.hostUnhealthy(host: url.host, refusal)
    journal.append(Hop(url: journal.name(of: url), attempt: 1, error: error))
    return error
  }

  /// How many payloads may be taken up now.
  /// - Parameters:
  ///   - size: memory of a payload that waits for its host, in bytes.
  ///   - mayReturn: whether its queue takes back what cannot start.
  package func capacity(for size: Int, mayReturn: Bool) -> Int {
    hosts?.capacity(for: HostGate.Intake(size: size, mayReturn: mayReturn)) ?? .max
  }

  /// Waits until there is capacity.
  /// - Returns: how much; 0 if the task is cancelled.
  package func waitForCapacity(for size: Int, mayReturn: Bool) async -> Int {
    await hosts?.waitForCapacity(for: HostGate.Intake(size: size, mayReturn: mayReturn)) ?? .max
  }

  /// Hosts that are not asked now, in no order.
  package var unhealthyHosts: [UnhealthyHost] { hosts?.unhealthy ?? [] }
}
