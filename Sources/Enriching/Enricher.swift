internal import Caching
internal import Decrypting
internal import Fetching
package import Notifications
internal import Sniffing
internal import Storing

/// One payload goes in and one comes out: READ FIRST. What happens to a payload stands here from top to bottom, each step in the
/// module that its name says.
package final class Enricher: Sendable {
  /// Of one payload. No payload has room for more attachments, at 220 bytes each, and memory is planned for no more in place either.
  package static let maximumMedia = 24

  let settings: EnrichmentSettings
  let services: EnricherServices

  /// - Throws: `SetupError`, also for a library that fails its self-test. A store that cannot be opened is no such error: it is tried again
  ///   with each payload.
  package init(settings: EnrichmentSettings) throws(SetupError) {
    self.settings = settings
    services = try EnricherServices(settings)
  }

  /// Enriches `payload` before the deadline, or says why it goes out as it came.
  ///
  /// - Parameters:
  ///   - pushType: the `apns-push-type` header, where it is known.
  ///   - received: when the payload was received: the deadline counts from there.
  ///   - reservation: slots for its transfers, from `reserveSlots`; without them, it waits for one.
  ///   - progress: records what happens, to be read meanwhile.
  package func enrich(
    _ payload: Payload, pushType: PushType? = nil, received: ContinuousClock.Instant = .now,
    using reservation: SlotReservation? = nil, recording progress: EnrichmentProgress = EnrichmentProgress()
  ) async -> Enrichment {
    let deadline = Deadline(settings.deadline, from: received)
    let result = await deadline.limit { [self] () async -> Result<WrittenPayload, Failure> in
      do throws(Failure) {
        return .success(
          try await steps(
            payload, pushType: pushType, until: deadline, using: reservation, recording: progress))
      } catch {
        return .failure(error)
      }
    }
    let outcome: Outcome
    switch result {
    case .success(let written):
      outcome = .enriched(written.bytes)
      progress.recordWritten(at: written.paths)
    case .failure(let failure): outcome = .unmodified(payload.bytes, failure)
    case nil: outcome = .unmodified(payload.bytes, Failure(.deadlineExceeded, progress.unfinished))
    }
    services.memory.tidyUp()
    return Enrichment(
      outcome: outcome,
      report: Report(outcome, media: progress.media, elapsed: received.duration(to: .now)))
  }

  // MARK: - The steps

  private func steps(
    _ payload: Payload, pushType: PushType?, until deadline: Deadline, using reservation: SlotReservation?,
    recording progress: EnrichmentProgress
  ) async throws(Failure) -> WrittenPayload {
    defer { reservation?.release() }
    try read(payload, pushType: pushType)
    let opened = try await open(payload, pushType: pushType)
    let media = opened.media.map { progress.add($0) }
    let slots = if let reservation { reservation } else { try await services.slots.reserve() }
    let attachments = try await attachments(for: media, of: payload, until: deadline, using: slots)
    return try write(attachments, into: opened, pushType: pushType)
  }

  /// Whether the payload may be touched.
  private func read(_ payload: Payload, pushType: PushType?) throws(Failure) {
    if let ineligibility = payload.ineligibility(pushType: pushType) { throw Failure(ineligibility) }
  }

  /// What the payload asks for, once its content is decrypted.
  private func open(_ payload: Payload, pushType: PushType?) async throws(Failure) -> OpenedPayload {
    let ring = await services.keys?.ring() ?? KeyRing()
    let opened = try OpenedPayload(payload, with: ring, mediaKeys: settings.mediaKeys)
    guard opened.wasEncrypted || !opened.media.isEmpty else {
      throw Failure(.noMedia, "no URL of media was found in it")
    }
    guard opened.media.count <= Self.maximumMedia else {
      throw Failure(
        .payloadTooLarge,
        "it names \(opened.media.count) media, and no more than \(Self.maximumMedia) are fetched for a payload"
      )
    }
    do throws(AttachingError) {
      try settings.writer.check(opened, maximumSize: (pushType ?? .alert).maximumPayloadSize)
    } catch {
      throw Failure(error)
    }
    return opened
  }

  /// Gets as many media at once as there are free slots. Those that fail are left out, unless every one has to work.
  private func attachments(
    for media: [MediaProgress], of payload: Payload, until deadline: Deadline, using slots: SlotReservation
  ) async throws(Failure) -> [Attachment] {
    // Most payloads have one, which then goes without the memory for running several: 3 KB while it is under way.
    let finished =
      media.count == 1
      ? [await attachment(for: media[0], of: payload, until: deadline, using: slots)]
      : await slots.concurrentMap(media, stopOnNil: settings.requiresAll) {
        await self.attachment(for: $0, of: payload, until: deadline, using: slots)
      }
    let attachments = finished.compactMap { $0 }
    if attachments.isEmpty && !media.isEmpty || settings.requiresAll && attachments.count < media.count {
      throw MediaProgress.decisiveFailure(among: media)
    }
    return attachments
  }

  /// One medium: as the cache has it, or fetched once it is its host's turn.
  private func attachment(
    for progress: MediaProgress, of payload: Payload, until deadline: Deadline, using slots: SlotReservation
  ) async -> Attachment? {
    do throws(Failure) {
      if case .sealed(let error) = progress.request.protection { throw Failure(error) }
      let opened = try await services.store.open()
      let loan = SlotLoan(from: slots)
      let fetch: MediaCache.Fetch = { (previous) throws(Failure) in
        progress.recordWaiting(forAnother: false)
        let turn = try await self.turn(for: progress, of: payload, lending: loan)
        defer { turn?.leave() }
        // A medium whose host is refused needs no slot, and does not wait for one.
        if turn?.isRefused != true { try await loan.reacquire() }
        return try await self.fetch(progress, unless: previous, into: opened, until: deadline, turn)
      }
      let file: ReusableFile
      if let cache = services.cache {
        file = try await cache.file(
          for: progress, in: opened,
          willWait: {
            progress.recordWaiting(forAnother: true)
            loan.lend()
          }, fetch: fetch)
      } else {
        file = try await fetch(nil).file()
      }
      return progress.finish(file, url: settings.url(of: file.file.name, in: services.store.path))
    } catch {
      // What is cancelled because of the deadline, or of another medium, has not failed: it is pending.
      if !Task.isCancelled { progress.recordFailure(error) }
      return nil
    }
  }

  /// Waits until the medium's host may be asked, where hosts are shared. A medium that has to wait lends its slot
  /// to other payloads.
  private func turn(
    for progress: MediaProgress, of payload: Payload, lending loan: SlotLoan
  ) async throws(Failure) -> HostTurn? {
    do throws(FetchError) {
      return try await services.fetcher.turn(
        for: progress.request.url, journal: progress.journal, bytes: Self.waitingBytes + 3 * payload.bytes.count
      ) { loan.lend() }
    } catch {
      throw Failure(error)
    }
  }

  /// Fetched, decrypted, sniffed and written in one stream, then kept; `unless` the server says that it has not changed.
  private func fetch(
    _ progress: MediaProgress, unless previous: CacheEntry?, into opened: DirectoryStore, until deadline: Deadline,
    _ turn: HostTurn?
  ) async throws(Failure) -> Download {
    let intake = MediaIntake(
      store: opened, sniffer: services.sniffer, limits: settings.limits, memory: services.memory,
      protection: progress.request.protection)
    progress.follow(intake)
    let requested = WallTime.now
    let fetched: Fetched
    do throws(FetchError) {
      fetched = try await services.fetcher.fetch(
        progress.request.url, until: deadline.end, under: { previous?.conditions(for: $0) ?? [] },
        into: intake.consumer, journal: progress.journal, turn: turn)
    } catch {
      throw intake.failure ?? Failure(error)
    }
    progress.recordContentType(fetched.head.contentType)
    let isUnchanged = fetched.head.status == 304
    let start = ContinuousClock.now
    let kept = isUnchanged ? nil : try await services.store.keep(intake)
    if !isUnchanged { progress.recordStoringTime(.now - start) }
    return Download(kept: kept, fetched, requested: requested, wasEncrypted: intake.wasEncrypted)
  }

  private func write(
    _ attachments: [Attachment], into opened: OpenedPayload, pushType: PushType?
  ) throws(Failure) -> WrittenPayload {
    do throws(AttachingError) {
      return try settings.writer.write(
        attachments, into: opened, maximumSize: (pushType ?? .alert).maximumPayloadSize)
    } catch {
      throw Failure(error)
    }
  }
}
