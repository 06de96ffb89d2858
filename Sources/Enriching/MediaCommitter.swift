internal import Dispatch
internal import Sniffing
internal import Storing
internal import Supporting

/// Commits files to one store. Those that come while the disk is busy are committed together.
final class MediaCommitter: Sendable {
  private typealias Continuation = CheckedContinuation<Result<CommittedMedium, Failure>, Never>

  let store: DirectoryStore
  private let urlBase: String
  private let waiting: Coalescer<(intake: MediaIntake, continuation: Continuation)>

  /// - Parameters:
  ///   - urlBase: what stands before the name of a file in the URL by which the app finds it.
  ///   - disk: the queue on which files are committed.
  init(to store: DirectoryStore, urlBase: String, on disk: DispatchQueue) {
    self.store = store
    self.urlBase = urlBase
    waiting = Coalescer(on: disk)
  }

  /// Where the app finds the file `name` of this store.
  func url(of name: String) -> String { urlBase + name }

  /// Commits the file of this store that `intake` has received.
  func commit(_ intake: MediaIntake) async throws(Failure) -> CommittedMedium {
    try await withCheckedContinuation { continuation in
      waiting.submit((intake, continuation)) { [self] batch in commit(batch) }
    }.get()
  }

  private func commit(_ batch: [(intake: MediaIntake, continuation: Continuation)]) {
    store.activity.begin()
    defer { store.activity.end() }
    var files: [FinishedFile] = []
    var others: [(format: MediaFormat, continuation: Continuation)] = []
    for (intake, continuation) in batch {
      do throws(Failure) {
        let (file, format) = try intake.finish()
        files.append(file)
        others.append((format, continuation))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    for (result, (format, continuation)) in zip(store.commit(files), others) {
      continuation.resume(
        returning: result.map { CommittedMedium(file: $0, format: format) }.mapError { Failure($0) })
    }
  }
}
