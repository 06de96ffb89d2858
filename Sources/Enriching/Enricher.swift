internal import Decrypting
internal import Fetching
internal import Notifications

/// READ FIRST. A payload goes in, and a payload comes out. `steps` lists what happens to it, in
/// order. `Enricher+Deadline` holds the steps to the deadline.
package final class Enricher: Sendable {
  /// The most media per payload. No payload has room for more attachments at 220 bytes each, and
  /// the memory is planned for no more, even if their URLs are replaced in place.
  package static let maximumMedia = 24

  let settings: EnrichmentSettings
  let services: EnricherServices

  /// - Throws: `SetupError`, also if a library fails its self-test. A store that cannot be opened
  ///   is no error here, because each payload tries again.
  package init(settings: EnrichmentSettings) throws(SetupError) {
    self.settings = settings
    services = try EnricherServices(settings)
  }

  /// `Enricher+Fetching` shows what happens to each medium, and `MediaIntake` what happens to its
  /// bytes. `TaskPool` says why steps are not inlined.
  func steps(
    _ payload: Payload, pushType: PushType?, until deadline: Deadline, using reservation: PlaceReservation?,
    recording progress: EnrichmentProgress
  ) async throws(Failure) -> WrittenPayload {
    defer { reservation?.release() }
    try read(payload, pushType: pushType)
    let content = try await open(payload)
    try check(payload, with: content, pushType: pushType)
    let media = content.media.map { progress.add($0) }
    let attachments = try await fetch(media, of: payload, until: deadline, using: reservation)
    return try write(attachments, into: payload, with: content, pushType: pushType)
  }

  /// Checks that the payload may be modified at all.
  @inline(never)
  private func read(_ payload: Payload, pushType: PushType?) throws(Failure) {
    if let ineligibility = payload.ineligibility(pushType: pushType) { throw Failure(ineligibility) }
  }

  /// Decrypts encrypted content, and finds the media that the payload asks for.
  private func open(_ payload: Payload) async throws(Failure) -> UnsealedContent {
    let ring = await services.keys?.ring() ?? KeyRing()
    return try UnsealedContent(of: payload, with: ring, mediaKeys: settings.mediaKeys)
  }

  /// Checks that there is something to do, and that the result can fit, before anything is fetched.
  @inline(never)
  private func check(_ payload: Payload, with content: UnsealedContent, pushType: PushType?) throws(Failure) {
    guard content.wasEncrypted || !content.media.isEmpty else {
      throw Failure(.noMedia, "no media URL was found in it")
    }
    guard content.media.count <= Self.maximumMedia else {
      throw Failure(
        .payloadTooLarge,
        "it names more than \(Self.maximumMedia) media, the most that are fetched for a payload")
    }
    try rethrowing(as: Failure.init) { () throws(RewritingError) in
      try settings.writer.check(payload, with: content, maximumSize: (pushType ?? .alert).maximumPayloadSize)
    }
  }

  /// Fetches as many media at once as there are free places. Leaves out those that fail, unless all
  /// are required. A payload with only encrypted text needs no place.
  private func fetch(
    _ media: [MediaProgress], of payload: Payload, until deadline: Deadline,
    using reservation: PlaceReservation?
  ) async throws(Failure) -> [Attachment] {
    if media.isEmpty { return [] }
    let places = if let reservation { reservation } else { try await reservePlace() }
    if media.count == 1 {
      // Most payloads have one medium. This saves them 3 KB while it is fetched.
      _ = await obtain(media[0], of: payload, until: deadline, using: places)
    } else {
      await places.forEach(media) { [self] medium in
        await obtain(medium, of: payload, until: deadline, using: places)
          || !settings.requiresAll && !places.turn.isBack
      }
    }
    return try attachments(of: media, places.turn)
  }

  private func reservePlace() async throws(Failure) -> PlaceReservation {
    if let failure = services.memoryFailure { throw failure }
    guard let place = await services.fetcher.admission.take(.here).first else {
      throw Failure(.deadlineExceeded, "there was no room in memory before the deadline")
    }
    return place
  }

  /// The attachments of the media that worked.
  /// - Throws: the first failure in the payload's order, if no medium worked, or if all are
  ///   required.
  @inline(never)
  private func attachments(of media: [MediaProgress], _ turn: PayloadTurn) throws(Failure) -> [Attachment] {
    if turn.isBack, let failure = media.lazy.compactMap(\.report.failure).first(where: \.goesBack) {
      throw failure
    }
    let attachments = media.compactMap(\.attachment)
    if attachments.isEmpty || settings.requiresAll && attachments.count < media.count {
      throw media.compactMap(\.report.failure).first ?? Failure(.deadlineExceeded, "there was no time left")
    }
    return attachments
  }

  @inline(never)
  private func write(
    _ attachments: [Attachment], into payload: Payload, with content: UnsealedContent, pushType: PushType?
  ) throws(Failure) -> WrittenPayload {
    try rethrowing(as: Failure.init) { () throws(RewritingError) in
      try settings.writer.write(
        attachments, into: payload, with: content, maximumSize: (pushType ?? .alert).maximumPayloadSize)
    }
  }
}
