internal import Fetching
internal import Sniffing
internal import Storing
internal import Notifications
internal import Synchronization

/// What has happened to one payload so far. Read at any time: also when the deadline strikes, and for a progress line.
package final class EnrichmentRun: Sendable {
  private let runs = Mutex<[MediaRun]>([])

  package init() {}

  /// How each medium fares, in the order of the payload.
  package var media: [MediaReport] { runs.withLock { $0 }.map(\.report) }

  func add(_ medium: WantedMedium) -> MediaRun {
    let run = MediaRun(medium)
    runs.withLock { $0.append(run) }
    return run
  }

  /// The payload is written, and names files in these places, by the identifiers of the media.
  func note(writing places: [String: [String]]) {
    for run in runs.withLock({ $0 }) { run.note(writing: places[run.medium.reference.identifier] ?? []) }
  }

  /// What is still being waited for, in a clause.
  var unfinished: String {
    let waiting = media.filter { $0.stored == nil && $0.failure == nil }
      .map { "\($0.identifier) was waiting for \($0.waitingFor)" }
    return waiting.isEmpty ? "there was no time left" : waiting.joined(separator: ", ")
  }
}

/// What has happened to one medium so far.
final class MediaRun: Sendable {
  let medium: WantedMedium
  let journal = FetchJournal()
  private let state: Mutex<(report: MediaReport, intake: MediaIntake?)>

  init(_ medium: WantedMedium) {
    self.medium = medium
    state = Mutex((MediaReport(medium.reference), nil))
  }

  private var reference: MediaReference { medium.reference }

  func follow(_ intake: MediaIntake) { state.withLock { $0.intake = intake } }

  func label(contentType: String?) { state.withLock { $0.report.contentType = contentType } }

  /// Another payload's fetch is waited for, or not any more.
  func wait(forAnother isWaiting: Bool) { state.withLock { $0.report.isWaitingForAnother = isWaiting } }

  /// It came from the cache, or past it.
  func note(_ use: CacheUse, _ file: ReusableFile, limit: Int) {
    state.withLock { state in
      state.report.cacheUse = use
      state.report.isWaitingForAnother = false
      state.report.format = file.format
      state.report.limit = limit
      state.report.contentType = file.contentType
    }
  }

  func fail(_ failure: Failure) { state.withLock { $0.report.failure = failure } }

  func note(writing places: [String]) { state.withLock { $0.report.places = places } }

  /// How long it took until the file had its name and was on the disk.
  func note(storing time: Duration) { state.withLock { $0.report.storing = time } }

  func finish(_ reusable: ReusableFile, url: String) -> Attachment {
    let (file, format) = (reusable.file, reusable.format)
    state.withLock { $0.report.stored = MediaReport.Stored(url: url, size: file.size, sha256: file.sha256) }
    return Attachment(
      identifier: reference.identifier, url: url, type: format.uniformTypeIdentifier, size: file.size,
      sha256: file.sha256, options: reference.options)
  }

  var report: MediaReport {
    var (report, intake) = state.withLock { ($0.report, $0.intake) }
    report.fetch = journal.now
    report.format = intake?.format ?? report.format
    report.limit = intake?.limit ?? report.limit
    return report
  }

  /// The failure that stands for all: the first in the order of the payload.
  static func decisiveFailure(among media: [MediaRun]) -> Failure {
    media.compactMap(\.report.failure).first ?? Failure(.deadlineExceeded, "there was no time left")
  }
}
