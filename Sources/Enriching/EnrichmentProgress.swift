internal import Notifications
internal import Synchronization

/// What has happened to one payload so far. Can be read at any time: when the deadline strikes, and for a
/// progress line.
package final class EnrichmentProgress: Sendable {
  private let all = Mutex<[MediaProgress]>([])

  package init() {}

  /// A report on each medium, in the order of the payload.
  package var media: [MediaReport] { all.withLock { $0 }.map(\.report) }

  func add(_ request: MediaRequest) -> MediaProgress {
    let progress = MediaProgress(request)
    all.withLock { $0.append(progress) }
    return progress
  }

  /// The payload is written.
  /// - Parameter paths: where it names the stored files, by the identifiers of the media; spelled as
  ///   `MediaKey`s.
  func recordWritten(at paths: [String: [String]]) {
    for progress in all.withLock({ $0 }) {
      progress.recordPaths(paths[progress.request.reference.identifier] ?? [])
    }
  }

  /// What the payload is still waiting for, as a clause.
  var unfinished: String {
    let waiting = media.filter { $0.stored == nil && $0.failure == nil }
      .map { "\($0.identifier) was waiting for \($0.waitingFor)" }
    return waiting.isEmpty ? "there was no time left" : waiting.joined(separator: ", ")
  }
}
