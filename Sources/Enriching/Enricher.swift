internal import Caching
internal import Decrypting
internal import Fetching
package import Notifications
internal import Sniffing
internal import Storing
internal import Supporting

/// One payload goes in and one comes out: READ FIRST. What happens to a payload stands here from top to bottom, each step in the
/// module that its name says.
package final class Enricher: Sendable {
  /// Of one payload. No payload has room for more attachments, at 220 bytes each, and memory is planned for no more in place either.
  package static let maximumMedia = 24

  let settings: EnrichmentSettings
  let tools: Tools

  /// - Throws: `SetupError`, also for a library that fails its self-test. A store that cannot be opened is no such error: it is tried again
  ///   with each payload.
  package init(settings: EnrichmentSettings) throws(SetupError) {
    self.settings = settings
    tools = try Tools(settings)
  }

  /// Enriches `payload` before the deadline, or says why it goes out as it came.
  ///
  /// - Parameters:
  ///   - pushType: the `apns-push-type` header, where it is known.
  ///   - received: when the payload was received: the deadline counts from there.
  ///   - room: leave for its transfers, from `rooms`; without it, the payload waits for it.
  ///   - run: records what happens, for whoever wants to look while it does.
  package func enrich(
    _ payload: Payload, pushType: PushType? = nil, received: ContinuousClock.Instant = .now,
    in room: Room? = nil, recording run: EnrichmentRun = EnrichmentRun()
  ) async -> Enrichment {
    let deadline = Deadline(settings.deadline, from: received)
    let result = await deadline.limit { [self] () async -> Result<WrittenPayload, Failure> in
      do throws(Failure) {
        return .success(try await steps(payload, pushType, until: deadline, in: room, run))
      } catch {
        return .failure(error)
      }
    }
    let outcome: Outcome
    switch result {
    case .success(let written):
      outcome = .enriched(written.bytes)
      run.note(writing: written.places)
    case .failure(let failure): outcome = .unmodified(payload.bytes, failure)
    case nil: outcome = .unmodified(payload.bytes, Failure(.deadlineExceeded, run.unfinished))
    }
    tools.budget.tidyUp()
    return Enrichment(
      outcome: outcome,
      report: Report(outcome, media: run.media, elapsed: received.duration(to: .now)))
  }

  // MARK: - The steps

  private func steps(
    _ payload: Payload, _ pushType: PushType?, until deadline: Deadline, in room: Room?, _ run: EnrichmentRun
  ) async throws(Failure) -> WrittenPayload {
    defer { room?.leave() }
    try read(payload, pushType)
    let opened = try await open(payload, pushType)
    let media = opened.media.map { run.add($0) }
    let room = if let room { room } else { try await tools.budget.room() }
    let attachments = try await attachments(for: media, of: payload, until: deadline, in: room)
    return try write(attachments, into: opened, pushType)
  }

  /// Whether the payload may be touched.
  private func read(_ payload: Payload, _ pushType: PushType?) throws(Failure) {
    if let ineligibility = payload.ineligibility(pushType: pushType) { throw Failure(ineligibility) }
  }

  /// What the payload asks for, once its content is decrypted.
  private func open(_ payload: Payload, _ pushType: PushType?) async throws(Failure) -> OpenedPayload {
    let ring = await tools.keys?.ring() ?? KeyRing()
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

  /// As many media at once as there is room for; those that fail are left out, unless every one has to work.
  private func attachments(
    for media: [MediaRun], of payload: Payload, until deadline: Deadline, in room: Room
  ) async throws(Failure) -> [Attachment] {
    // Most payloads have one, which then goes without the memory for running several: 3 KB while it is under way.
    let finished =
      media.count == 1
      ? [await attachment(for: media[0], of: payload, until: deadline, in: room)]
      : await room.map(media, stopsAtNil: settings.requiresAll) {
        await self.attachment(for: $0, of: payload, until: deadline, in: room)
      }
    let attachments = finished.compactMap { $0 }
    if attachments.isEmpty && !media.isEmpty || settings.requiresAll && attachments.count < media.count {
      throw MediaRun.decisiveFailure(among: media)
    }
    return attachments
  }

  /// One medium: as the cache has it, or fetched once it is its host's turn.
  private func attachment(
    for medium: MediaRun, of payload: Payload, until deadline: Deadline, in room: Room
  ) async -> Attachment? {
    do throws(Failure) {
      if case .sealed(let error) = medium.medium.protection { throw Failure(error) }
      let opened = try await tools.store.open()
      let place = Place(in: room)
      let fetch: MediaCache.Fetch = { (previous) throws(Failure) in
        medium.wait(forAnother: false)
        let turn = try await self.turn(for: medium, of: payload, lending: place)
        defer { turn?.leave() }
        // Who is refused needs no room, and does not wait for it.
        if turn?.isRefused != true { try await place.takeBack() }
        return try await self.fetch(medium, unless: previous, into: opened, until: deadline, turn)
      }
      let file: ReusableFile
      if let cache = tools.cache {
        file = try await cache.file(
          for: medium, in: opened,
          willWait: {
            medium.wait(forAnother: true)
            place.lend()
          }, fetch: fetch)
      } else {
        file = try await fetch(nil).file()
      }
      return medium.finish(file, url: settings.url(of: file.file.name, in: tools.store.path))
    } catch {
      // What is cancelled because of the deadline, or of another medium, has not failed: it is pending.
      if !Task.isCancelled { medium.fail(error) }
      return nil
    }
  }

  /// Leave to ask the medium's host, where hosts have to be shared. Whoever has to wait for it lends his room to others.
  private func turn(
    for medium: MediaRun, of payload: Payload, lending place: Place
  ) async throws(Failure) -> HostTurn? {
    do throws(FetchError) {
      return try await tools.fetcher.turn(
        for: medium.medium.url, journal: medium.journal, bytes: Self.waitingBytes + 3 * payload.bytes.count
      ) { place.lend() }
    } catch {
      throw Failure(error)
    }
  }

  /// Fetched, decrypted, sniffed and written in one stream, then kept; `unless` the server says that it has not changed.
  private func fetch(
    _ medium: MediaRun, unless previous: CacheEntry?, into opened: DirectoryStore, until deadline: Deadline,
    _ turn: HostTurn?
  ) async throws(Failure) -> Download {
    let intake = MediaIntake(
      store: opened, sniffer: tools.sniffer, limits: settings.limits, budget: tools.budget,
      protection: medium.medium.protection)
    medium.follow(intake)
    let requested = WallClock.milliseconds
    let fetched: Fetched
    do throws(FetchError) {
      fetched = try await tools.fetcher.fetch(
        medium.medium.url, until: deadline.end, under: { previous?.conditions(for: $0) ?? [] },
        into: intake.consumer, journal: medium.journal, turn: turn)
    } catch {
      throw intake.failure ?? Failure(error)
    }
    medium.label(contentType: fetched.head.contentType)
    let isUnchanged = fetched.head.status == 304
    let start = ContinuousClock.now
    let kept = isUnchanged ? nil : try await tools.store.keep(intake)
    if !isUnchanged { medium.note(storing: .now - start) }
    return Download(kept: kept, fetched, requested: requested, wasEncrypted: intake.wasEncrypted)
  }

  private func write(
    _ attachments: [Attachment], into opened: OpenedPayload, _ pushType: PushType?
  ) throws(Failure) -> WrittenPayload {
    do throws(AttachingError) {
      return try settings.writer.write(
        attachments, into: opened, maximumSize: (pushType ?? .alert).maximumPayloadSize)
    } catch {
      throw Failure(error)
    }
  }
}
