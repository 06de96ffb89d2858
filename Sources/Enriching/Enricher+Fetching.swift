internal import Caching
internal import Fetching
internal import Notifications
internal import Storing
internal import Supporting

/// The step `fetch` for one medium: from the cache, or from its host.
extension Enricher {
  /// - Parameter progress: has the attachment then, or the failure; neither where the task was cancelled.
  /// - Returns: whether there is an attachment.
  func obtain(
    _ progress: MediaProgress, of payload: Payload, turn: PayloadTurn, until deadline: Deadline,
    using slots: SlotReservation
  ) async -> Bool {
    do throws(Failure) {
      if case .unopenable(let error) = progress.request.protection { throw Failure(error) }
      let store = try await services.store.get()
      let loan = SlotLoan(from: slots)
      let file = try await services.cache.file(
        for: progress, in: store,
        willWait: {
          progress.recordWaiting(forAnother: true)
          loan.lend()
        },
        fetch: { [self] (previous) throws(Failure) in
          let place = Place(turn: turn, loan: loan, bytes: Self.waitingBytes + 3 * payload.bytes.count)
          return try await fetchInTurn(
            progress, unless: previous, into: store, until: deadline, in: place)
        })
      progress.finish(file, in: store)
      return true
    } catch {
      note(error, in: progress, turn)
      return false
    }
  }

  // Not inlined: see `Enricher.steps`.
  @inline(never)
  private func note(_ failure: Failure, in progress: MediaProgress, _ turn: PayloadTurn) {
    // Cancelled by the deadline or by another medium, it has not failed: it is unfinished.
    if !Task.isCancelled { progress.recordFailure(failure) }
    // Also if it is another payload's download that could not start.
    if failure.goesBack { turn.goBack() }
  }

  /// What a medium needs to wait for its host.
  private struct Place {
    let turn: PayloadTurn
    let loan: SlotLoan
    /// Memory of the payload while it waits, in bytes.
    let bytes: Int
  }

  /// Fetches a medium once its host may be asked and there is a slot for it.
  private func fetchInTurn(
    _ progress: MediaProgress, unless previous: CacheEntry?, into store: any MediaStore,
    until deadline: Deadline, in place: Place
  ) async throws(Failure) -> Download {
    progress.recordWaiting(forAnother: false)
    let url = try read(progress.request.url)
    let permit: HostPermit?
    do throws(FetchError) {
      permit = try await self.permit(for: url, progress.journal, in: place)
    } catch {
      throw Failure(error)
    }
    defer { permit?.release() }
    try await place.loan.reacquire()
    return try await download(
      url, progress, unless: previous, into: store, until: deadline, permit: permit, in: place)
  }

  @inline(never)
  private func read(_ url: String) throws(Failure) -> RemoteURL {
    try rethrowing(as: Failure.init) { () throws(FetchError) in try services.fetcher.urls.read(url) }
  }

  /// Waits until the medium's host may be asked, where hosts are shared. A medium that has to wait lends its
  /// slot to other payloads.
  private func permit(
    for url: RemoteURL, _ journal: FetchJournal, in place: Place
  ) async throws(FetchError) -> HostPermit? {
    try await services.fetcher.permit(for: url, journal: journal, bytes: place.bytes, turn: place.turn) {
      place.loan.lend()
    }
  }

  /// Waits until the host that a redirect leads to may be asked.
  private func move(
    to next: RemoteURL, _ journal: FetchJournal, in place: Place
  ) async throws(FetchError) -> HostPermit? {
    let permit = try await permit(for: next, journal, in: place)
    do throws(Failure) {
      try await place.loan.reacquire()
    } catch {
      throw .cancelled
    }
    return permit
  }

  @inline(never)
  private func intake(for progress: MediaProgress, into store: any MediaStore) -> MediaIntake {
    let intake = MediaIntake(
      spools: store.spools, sniffer: services.sniffer, limits: settings.limits, memory: services.memory,
      protection: progress.request.protection)
    progress.follow(intake)
    return intake
  }

  /// Fetches, decrypts and sniffs a medium in one stream into a spool, then has the store keep it.
  /// - Parameter previous: what the server is asked about; if it answers 304, there is no new file.
  private func download(
    _ url: RemoteURL, _ progress: MediaProgress, unless previous: CacheEntry?, into store: any MediaStore,
    until deadline: Deadline, permit: HostPermit?, in place: Place
  ) async throws(Failure) -> Download {
    let intake = intake(for: progress, into: store)
    let requested = WallClock.milliseconds
    let fetched: Fetched
    do throws(FetchError) {
      fetched = try await services.fetcher.fetch(
        url, until: deadline.end, under: { previous?.conditions(for: $0) ?? [] },
        into: intake, journal: progress.journal, permit: permit
      ) { [self] next throws(FetchError) in
        try await move(to: next, progress.journal, in: place)
      }
    } catch {
      throw intake.failure ?? Failure(error)
    }
    // The host has done its part. A disk that hangs is not its fault.
    permit?.release()
    progress.recordContentType(fetched.head.contentType)
    // It has not changed, and there is no new file.
    if fetched.head.status == 304 { return self.download(nil, fetched, requested, intake) }
    progress.beginStoring()
    let stored = try await intake.store(in: store)
    progress.endStoring()
    return self.download(stored, fetched, requested, intake)
  }

  @inline(never)
  private func download(
    _ stored: StoredFile?, _ fetched: Fetched, _ requested: Int64, _ intake: MediaIntake
  ) -> Download {
    var file: CachedFile?
    if let stored, let format = intake.format {
      file = CachedFile(stored, format, contentType: fetched.head.contentType)
    }
    return Download(file, fetched, requested: requested, wasEncrypted: intake.wasEncrypted)
  }
}
