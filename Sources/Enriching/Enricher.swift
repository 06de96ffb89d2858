internal import Decrypting
internal import Fetching
internal import Notifications

/// READ FIRST. A payload goes in, and a payload comes out. `steps` lists what happens to it, in
/// order. `Enricher+Deadline` holds the steps to the deadline.
package final class Enricher: Sendable {
  /// The most media per payload. No payload has room for more attachments at 220 bytes each, and
  /// the memory is planned for no more, even if their URLs are replaced in place.
  package static let maximumMedia = 24
  /// The most different media in all payloads of a message. An array of Expo's messages has 100.
  package static let maximumMediaOfMessage = 100

  let settings: EnrichmentSettings
  let services: EnricherServices
  let writer: ResultWriter

  /// - Throws: `SetupError`, also if a library fails its self-test. A store that cannot be opened
  ///   is not an error here, because each payload tries again.
  package init(settings: EnrichmentSettings) throws(SetupError) {
    self.settings = settings
    writer = ResultWriter(settings)
    services = try EnricherServices(settings)
  }

  /// `Enricher+Fetching` shows what happens to each medium, and `MediaIntake` what happens to its
  /// bytes. `TaskPool` says why steps are not inlined.
  func steps(
    _ message: PushMessage, pushType: PushType?, until deadline: Deadline,
    using reservation: PlaceReservation?, recording progress: EnrichmentProgress
  ) async throws(Failure) -> WrittenMessage {
    defer { reservation?.release() }
    let ring = await services.keys?.ring() ?? KeyRing()
    let categories = await services.categories?.current()
    let payloads = try open(message, pushType: pushType, with: ring, categories, recording: progress)
    try await fetch(progress.all, of: message, until: deadline, using: reservation)
    if categories != nil { try await storeActions(of: payloads) }
    return try write(payloads, into: message, recording: progress)
  }

  /// Finds the payloads that may be modified, decrypts their content, and finds the media that they
  /// ask for. Leaves out payloads that ask for nothing or cannot be read.
  /// - Throws: the reason if no payload is left or, if all are required, if one is left out.
  @inline(never)
  private func open(
    _ message: PushMessage, pushType: PushType?, with ring: KeyRing, _ categories: Categories?,
    recording progress: EnrichmentProgress
  ) throws(Failure) -> [OpenedPayload] {
    if let problem = message.problem { throw Failure(problem) }
    let reservedSize = message.reservedSize
    return try progress.each(message.payloads, requiresAll: settings.requiresAll) {
      (payload) throws(Failure) in
      if let problem = payload.problem { throw Failure(problem) }
      let pushType = payload.pushType ?? pushType
      if let ineligibility = payload.ineligibility(pushType: pushType) {
        throw Failure(ineligibility, of: payload)
      }
      let content = try UnsealedContent(
        of: payload, with: ring, mediaKeys: settings.mediaKeys, base: settings.baseURL)
      let maximumSize = (pushType ?? .alert).maximumPayloadSize - reservedSize
      let addition = addition(to: payload, with: content, from: categories, recording: progress)
      try check(payload, with: content, addition, maximumSize: maximumSize)
      let media = try progress.add(content.media, atMost: Self.maximumMediaOfMessage)
      return OpenedPayload(payload, maximumSize: maximumSize, content: content, media: media, addition)
    }
  }

  /// Checks that there is something to do, and that the result can fit, before anything is fetched.
  private func check(
    _ payload: Payload, with content: UnsealedContent, _ addition: CategoryAddition?, maximumSize: Int
  ) throws(Failure) {
    guard content.wasEncrypted || !content.media.isEmpty || addition != nil else {
      throw ForeignContent.of(payload)?.failure
        ?? Failure.noMedia(in: payload, completes: settings.baseURL != nil)
    }
    guard content.media.count <= Self.maximumMedia else {
      throw Failure(
        .payloadTooLarge,
        "it names more than \(Self.maximumMedia) media, the most that are fetched for a payload")
    }
    try rethrowing(as: Failure.init) { () throws(RewritingError) in
      try writer.check(payload, with: content, maximumSize: maximumSize)
    }
  }

  /// Fetches as many media at once as there are free places. Leaves out those that fail, unless all
  /// are required. A message with only encrypted text needs no place.
  private func fetch(
    _ all: [MediaProgress], of message: PushMessage, until deadline: Deadline,
    using reservation: PlaceReservation?
  ) async throws(Failure) {
    if all.isEmpty { return }
    let spares = all.filter { $0.request.reference.spareFor != nil }
    let media = spares.isEmpty ? all : all.filter { $0.request.reference.spareFor == nil }
    let places = if let reservation { reservation } else { try await reservePlace() }
    if media.count == 1 {
      // Most payloads have one medium. This saves them 3 KB while it is fetched.
      _ = await obtain(media[0], of: message, until: deadline, using: places)
    } else {
      await places.forEach(media) { [self] medium in
        await obtain(medium, of: message, until: deadline, using: places)
          || !settings.requiresAll && !places.turn.isBack
      }
    }
    for spare in spares where spare.isNeeded(among: media) && !places.turn.isBack {
      _ = await obtain(spare, of: message, until: deadline, using: places)
    }
    if places.turn.isBack, let failure = all.lazy.compactMap(\.report.failure).first(where: \.goesBack) {
      throw failure
    }
  }

  private func reservePlace() async throws(Failure) -> PlaceReservation {
    if let failure = services.memoryFailure { throw failure }
    guard let place = await services.fetcher.admission.take(.here).first else {
      throw Failure(
        .deadlineExceeded, "there was no room in memory before the deadline",
        advice: "allow more memory with --memory, or run more workers")
    }
    return place
  }

  /// Writes the attachments into the payloads that asked for them.
  /// - Throws: the reason if no payload has changed or, if all are required, if one has not.
  @inline(never)
  private func write(
    _ payloads: [OpenedPayload], into message: PushMessage, recording progress: EnrichmentProgress
  ) throws(Failure) -> WrittenMessage {
    var rewriter = Rewriter(message)
    let written = try progress.each(payloads, requiresAll: settings.requiresAll) { (opened) throws(Failure) in
      let attachments = try attachments(of: opened)
      return try rethrowing(as: Failure.init) { () throws(RewritingError) in
        let written = try write(attachments, into: opened, recording: progress)
        try rewriter.change(opened.payload, written.edits, maximumSize: opened.maximumSize)
        return written
      }
    }
    let bytes = try rethrowing(as: Failure.init) { () throws(RewritingError) in try rewriter.bytes() }
    return WrittenMessage(bytes: bytes, payloads: written)
  }

  /// Returns an empty list if all media have failed and the payload has a text for that case.
  func attachments(of opened: OpenedPayload) throws(Failure) -> [Attachment] {
    do throws(Failure) {
      return try opened.attachments(requiresAll: settings.requiresAll)
    } catch {
      let shows = writer.hasSubstitute(opened.payload, with: opened.content)
      guard shows, !settings.requiresAll, !error.reason.isOurs else { throw error }
      return []
    }
  }
}
