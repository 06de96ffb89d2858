internal import Caching
internal import Fetching
internal import Notifications
internal import Sniffing
internal import Storing
internal import Synchronization

/// What has happened to one medium so far.
final class MediaProgress: Sendable {
  let request: MediaRequest
  let journal: FetchJournal
  private let state: Mutex<State>

  private struct State {
    var report: MediaReport
    /// Set while the body arrives and is stored.
    var intake: MediaIntake?

    var current: MediaReport {
      var report = report
      report.format = intake?.format ?? report.format
      report.facts = intake?.facts ?? report.facts
      report.limit = intake?.limit ?? report.limit
      return report
    }
  }

  /// Whether this stands in for a medium that has failed.
  func isNeeded(among media: [MediaProgress]) -> Bool {
    request.reference.spareFor.map { url in
      media.contains { $0.request.reference.url == url && $0.report.failure != nil }
    } ?? false
  }

  init(_ request: MediaRequest, recordsPaths: Bool) {
    self.request = request
    journal = FetchJournal(recordsPaths: recordsPaths)
    state = Mutex(State(report: MediaReport(request)))
  }

  /// From now on, `report` takes the format and the limit from `intake`.
  func follow(_ intake: MediaIntake) { state.withLock { $0.intake = intake } }
  func recordContentType(_ contentType: String?) { state.withLock { $0.report.contentType = contentType } }

  /// Notes that the medium waits for another payload's fetch of the same URL.
  func beginWaitingForAnother() { state.withLock { $0.report.isWaitingForAnother = true } }

  /// - Parameter staysInReport: whether the report still says that the medium is waiting.
  /// - Returns: whether the medium was waiting.
  func endWaitingForAnother(staysInReport: Bool) -> Bool {
    state.withLock { state in
      defer { if !staysInReport { state.report.isWaitingForAnother = false } }
      return state.report.isWaitingForAnother
    }
  }

  /// Notes whether `file` came from the cache, and what is known about it.
  func recordCacheUse(_ use: CacheUse, of file: CachedFile, _ limits: SizeLimits) {
    state.withLock { state in
      state.report.cacheUse = use
      state.report.format = file.mediaFormat
      state.report.facts = file.mediaFacts
      state.report.limit = file.mediaFormat.map { limits[$0.family] }
      state.report.contentType = file.contentType
    }
  }

  /// Frees the body. Otherwise its file would stay open until the payload's other media are done.
  func recordFailure(_ failure: Failure) {
    let intake = state.withLock { state in
      state.report = state.current
      state.report.failure = failure
      return state.intake.take()
    }
    // Freed outside the lock, because the last reference closes the file.
    _ = consume intake
  }

  /// Notes where the result names the file, in the syntax of `MediaKey`.
  func recordPaths(_ paths: [String]) { state.withLock { $0.report.writtenPaths = paths } }

  /// The body is complete. Its buffered rest is now written, made durable and given its name.
  func beginStoring() { state.withLock { $0.report.storingStart = .now } }
  func endStoring() { state.withLock { $0.report.storing = $0.report.storingStart.map { .now - $0 } } }

  func finish(_ file: CachedFile, in store: any MediaStore) {
    let url = store.url(of: file.name)
    state.withLock { state in
      // A file's name starts with its digest in 64 hex digits.
      state.report.stored = .init(
        url: url, size: file.size, sha256: String(Substring(file.name.utf8.prefix(64))))
      state.report.format = file.mediaFormat
      state.report.facts = file.mediaFacts
      state.report.limit = state.intake?.limit ?? state.report.limit
      state.intake = nil
    }
  }

  /// - Parameter reference: the reference in the payload that gets the attachment.
  func attachment(for reference: MediaReference) -> Attachment? {
    let (stored, format, facts) = state.withLock { ($0.report.stored, $0.report.format, $0.report.facts) }
    guard let stored, let format else { return nil }
    return Attachment(
      identifier: reference.identifier, url: stored.url, type: format.uniformTypeIdentifier,
      size: stored.size, sha256: stored.sha256, options: reference.options,
      facts: .init(
        width: facts.width, height: facts.height, duration: facts.milliseconds.map { Double($0) / 1_000 }))
  }

  var report: MediaReport {
    var report = state.withLock { $0.current }
    report.fetch = journal.snapshot
    return report
  }
}
