internal import Notifications
internal import Synchronization

/// What has happened to one payload so far. Can be read at any time.
package final class EnrichmentProgress: Sendable {
  private let all = Mutex<[MediaProgress]>([])
  private let recordsPaths: Bool

  /// - Parameter recordsPaths: whether hops have paths as well as hosts, and reports say where
  ///   files are named. With many payloads at once, redirects to long URLs add up to megabytes.
  package init(recordsPaths: Bool = true) { self.recordsPaths = recordsPaths }

  package var media: [MediaReport] { all.withLock { $0 }.map(\.report) }

  func add(_ request: MediaRequest) -> MediaProgress {
    let progress = MediaProgress(request, recordsPaths: recordsPaths)
    all.withLock { $0.append(progress) }
    return progress
  }

  func record(_ written: WrittenPayload) {
    guard recordsPaths else { return }
    for progress in all.withLock({ $0 }) {
      progress.recordPaths(written.paths(of: progress.request.reference))
    }
  }

  /// Why the payload is not finished at its deadline. Names media by number, because this goes into
  /// logs, and identifiers may be private to the recipient.
  /// - Parameters:
  ///   - storeHangs: whether the store hangs. Everything waits for it then, even the transfer loop.
  ///   - patience: how long a medium may wait for the store before the store counts as failed.
  func lateness(storeHangs: Bool, patience: Duration) -> Failure {
    let media = media
    let unfinished = media.indices.filter { media[$0].stored == nil && media[$0].failure == nil }
    let clauses = unfinished.map { index in
      let name = media.count == 1 ? "the medium" : "medium \(index + 1) of \(media.count)"
      return "\(name) was waiting for \(storeHangs ? MediaReport.store : media[index].waitingFor)"
    }
    let isStoreOutage = unfinished.contains { index in
      storeHangs || media[index].storingStart.map { .now - $0 >= patience } ?? false
    }
    return Failure(
      .deadlineExceeded, clauses.isEmpty ? "there was no time left" : clauses.joined(separator: ", "),
      isStoreOutage: isStoreOutage)
  }
}
