internal import Caching
internal import Fetching
internal import Notifications
internal import Storing
internal import Supporting

/// The step `fetch` for one medium, which comes from the cache or from its host.
extension Enricher {
  /// - Parameter progress: gets the attachment or the failure, or neither if the task is cancelled.
  func obtain(
    _ progress: MediaProgress, of message: PushMessage, until deadline: Deadline,
    using places: PlaceReservation
  ) async -> Bool {
    // At the deadline, the report still has to say what the medium was waiting for.
    defer { endWaitingForAnother(progress, places, staysInReport: Task.isCancelled) }
    do throws(Failure) {
      if case .unopenable(let error) = progress.request.protection { throw Failure(error) }
      let store = try await services.store.get()
      let file = try await services.cache.file(
        for: progress, in: store,
        willWait: {
          progress.beginWaitingForAnother()
          places.beginWaiting()
        },
        fetch: { [self] (previous) throws(Failure) in
          try await fetchInTurn(
            progress, of: message, unless: previous, into: store, until: deadline, using: places)
        })
      progress.finish(file, in: store)
      return true
    } catch {
      note(error, in: progress, places.turn)
      return false
    }
  }

  private func endWaitingForAnother(
    _ progress: MediaProgress, _ places: PlaceReservation, staysInReport: Bool = false
  ) {
    if progress.endWaitingForAnother(staysInReport: staysInReport) { places.endWaiting() }
  }

  @inline(never)  // see `TaskPool`
  private func note(_ failure: Failure, in progress: MediaProgress, _ turn: PayloadTurn) {
    // A medium that the deadline or another medium cancelled is unfinished, not failed.
    if !Task.isCancelled { progress.recordFailure(failure) }
    // This includes another payload's download that could not start.
    if failure.goesBack { turn.goBack() }
  }

  /// Fetches a medium once its host may be asked and a place is free.
  private func fetchInTurn(
    _ progress: MediaProgress, of message: PushMessage, unless previous: CacheEntry?,
    into store: any MediaStore,
    until deadline: Deadline, using places: PlaceReservation
  ) async throws(Failure) -> Download {
    endWaitingForAnother(progress, places)
    let url = try read(progress.request.url)
    let bytes = Self.waitingBytes + 3 * message.bytes.count
    let permit: HostPermit?
    do throws(FetchError) {
      permit = try await services.fetcher.permit(
        for: url, journal: progress.journal, bytes: bytes, turn: places.turn)
    } catch {
      throw Failure(error)
    }
    defer { permit?.release() }
    return try await download(
      url, progress, unless: previous, into: store, until: deadline, permit: permit, bytes, places.turn)
  }

  @inline(never)
  private func read(_ url: String) throws(Failure) -> RemoteURL {
    try rethrowing(as: { Failure($0, url: url) }) { () throws(FetchError) in
      try services.fetcher.urls.read(url)
    }
  }

  @inline(never)
  private func intake(
    for progress: MediaProgress, into store: any MediaStore, until deadline: Deadline
  ) -> MediaIntake {
    let intake = MediaIntake(
      spools: store.spools, sniffer: services.sniffer, limits: settings.limits, memory: services.memory,
      protection: progress.request.protection
    ) { [self] bytes in lateness(of: bytes, in: store, until: deadline) }
    progress.follow(intake)
    return intake
  }

  /// Why there is no time left to store a file, going by how long that has recently taken.
  @inline(never)
  private func lateness(of bytes: Int, in store: any MediaStore, until deadline: Deadline) -> Failure? {
    let time = store.timeToStore(bytes)
    guard time > .zero, .now + time >= deadline.end else { return nil }
    return .noTimeToStore(
      bytes, time, isStoreOutage: store.timeToStore(0) >= settings.storePatience)
  }

  /// Streams a medium through decryption and sniffing into a spool, then has the store keep it.
  /// - Parameters:
  ///   - previous: the entry to confirm. If the server answers 304, there is no new file.
  ///   - bytes: the payload's memory while it waits for the host of a redirect.
  private func download(
    _ url: RemoteURL, _ progress: MediaProgress, unless previous: CacheEntry?, into store: any MediaStore,
    until deadline: Deadline, permit: HostPermit?, _ bytes: Int, _ turn: PayloadTurn
  ) async throws(Failure) -> Download {
    // If the server confirms the previous file, nothing is stored.
    if previous == nil, let failure = lateness(of: 0, in: store, until: deadline) { throw failure }
    let intake = intake(for: progress, into: store, until: deadline)
    let requested = WallClock.milliseconds
    let fetched: Fetched
    do throws(FetchError) {
      fetched = try await services.fetcher.fetch(
        url, until: deadline.end, under: { previous?.conditions(for: $0) ?? [] },
        into: intake, journal: progress.journal, permit: permit
      ) { [self] next throws(FetchError) in
        try await services.fetcher.permit(for: next, journal: progress.journal, bytes: bytes, turn: turn)
      }
    } catch {
      throw intake.failure ?? failure(error, url, progress.journal)
    }
    // The host has done its part. A disk that hangs must not count against it.
    permit?.release()
    progress.recordContentType(fetched.head.contentType)
    if fetched.head.status == 304 { return self.download(nil, fetched, requested, intake) }
    progress.beginStoring()
    let stored = try await intake.store(in: store)
    progress.endStoring()
    return self.download(stored, fetched, requested, intake)
  }

  @inline(never)
  private func failure(_ error: FetchError, _ url: RemoteURL, _ journal: FetchJournal) -> Failure {
    let hops = journal.snapshot.hops
    let isRedirected = hops.dropLast().contains { 300..<400 ~= $0.status ?? 0 }
    return Failure(error, url: url.text, target: isRedirected ? hops.last?.url : nil)
  }

  @inline(never)
  private func download(
    _ stored: StoredFile?, _ fetched: Fetched, _ requested: Int64, _ intake: MediaIntake
  ) -> Download {
    var file: CachedFile?
    if let stored, let format = intake.format {
      file = CachedFile(stored, format, intake.facts, contentType: fetched.head.contentType)
    }
    return Download(file, fetched, requested: requested, wasEncrypted: intake.wasEncrypted)
  }
}
