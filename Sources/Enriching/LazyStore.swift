internal import Dispatch
internal import Sniffing
internal import Storing
internal import Supporting
internal import Synchronization

/// The store, opened when the first medium needs it and tried again with the next one if that failed.
///
/// Opening and committing run on one queue of their own, bodies are written on the transfer loop: a disk that
/// hangs holds these two threads, and with them all media, but never an outcome.
final class LazyStore: Sendable {
  private typealias Continuation = CheckedContinuation<Result<CommittedMedium, Failure>, Never>

  private let settings: EnrichmentSettings
  private let unwrittenBytes: Int?
  private let opened = Mutex<DirectoryStore?>(nil)
  private let disk = DispatchQueue(label: "push-enricher.disk")
  private let waiting = Mutex<[(intake: MediaIntake, continuation: Continuation)]>([])

  /// - Parameter unwrittenBytes: bytes of files that may be on their way to the disk; nil leaves that to the
  ///   kernel.
  init(_ settings: EnrichmentSettings, unwrittenBytes: Int?) {
    self.settings = settings
    self.unwrittenBytes = unwrittenBytes
  }

  /// Absolute once it has been opened.
  var path: String { opened.withLock { $0?.path } ?? settings.store }

  func open() async throws(Failure) -> DirectoryStore {
    if let store = opened.withLock({ $0 }) { return store }
    return try await disk.run { [self] () throws(Failure) in
      try rethrowing(as: Failure.init) { () throws(StoreError) in try openNow() }
    }
  }

  private func openNow() throws(StoreError) -> DirectoryStore {
    if let store = opened.withLock({ $0 }) { return store }
    let store = try DirectoryStore(
      path: settings.store, creating: settings.makesStore, isDurable: settings.isDurable,
      unwrittenBytes: unwrittenBytes, pieceBytes: settings.writeBufferBytes)
    // The first file tests all of that as well.
    if settings.selfTests == .atStart { try store.testSelf() }
    opened.withLock { $0 = store }
    return store
  }

  /// Why no file can be stored unless the operator acts; nil if one can be, or could be later, as when it is
  /// only full.
  func lastingError() async -> StoreError? {
    try? await disk.run { [self] () throws(Failure) -> StoreError? in
      do throws(StoreError) {
        _ = try openNow().makeFile()
        return nil
      } catch {
        switch error {
        case .directoryMissing, .directoryReplaced, .notADirectory, .notWritable, .unnamedFilesUnsupported,
          .linksUnsupported, .digestUnavailable:
          return error
        case .full, .nameOccupied, .failed: return nil
        }
      }
    }
  }

  /// Commits the file that `intake` has written. Those that come while the disk is busy are committed
  /// together.
  func commit(_ intake: MediaIntake) async throws(Failure) -> CommittedMedium {
    try await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        waiting.append((intake, continuation))
        return waiting.count == 1
      }
      if isFirst { disk.async { [self] in commitWaiting() } }
    }.get()
  }

  private func commitWaiting() {
    let group = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    var files: [FinishedFile] = []
    var others: [(format: MediaFormat, continuation: Continuation)] = []
    for (intake, continuation) in group {
      do throws(Failure) {
        let (file, format) = try intake.finish()
        files.append(file)
        others.append((format, continuation))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    // All have the same store: it is opened once.
    guard let store = group.first?.intake.store else { return }
    for (result, (format, continuation)) in zip(store.commit(files), others) {
      continuation.resume(
        returning: result.map { CommittedMedium(file: $0, format: format) }.mapError { Failure($0) })
    }
  }
}
