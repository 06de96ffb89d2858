internal import Dispatch
internal import Storing
internal import Supporting
internal import Synchronization

/// The store, opened when the first medium needs it and tried again with the next one if that failed.
///
/// Opening and committing run on one queue of their own, and so does the writing of bodies that were buffered
/// whole; the others are written on the transfer loop. A disk that hangs holds these two threads, and with
/// them all media, but never an outcome.
final class LazyStore: Sendable {
  private let settings: EnrichmentSettings
  private let memory: MemoryMonitor
  private let unwrittenBytes: Int?
  private let opened = Mutex<MediaCommitter?>(nil)
  private let disk = DispatchQueue(label: "push-enricher.disk")

  /// - Parameters:
  ///   - memory: tells whether there is some for what only saves time.
  ///   - unwrittenBytes: bytes of files that may be on their way to the disk; nil leaves that to the kernel.
  init(_ settings: EnrichmentSettings, memory: MemoryMonitor, unwrittenBytes: Int?) {
    self.settings = settings
    self.memory = memory
    self.unwrittenBytes = unwrittenBytes
  }

  func open() async throws(Failure) -> MediaCommitter {
    if let committer = opened.withLock({ $0 }) { return committer }
    return try await disk.run { [self] () throws(Failure) in
      try rethrowing(as: Failure.init) { () throws(StoreError) in try openNow() }
    }
  }

  private func openNow() throws(StoreError) -> MediaCommitter {
    if let committer = opened.withLock({ $0 }) { return committer }
    let store = try DirectoryStore(
      path: settings.store, creating: settings.makesStore, isDurable: settings.isDurable,
      unwrittenBytes: unwrittenBytes, pieceBytes: settings.writeBufferBytes,
      isMemoryPlenty: { [memory] in memory.isPlenty })
    // The first file tests all of that as well.
    if settings.selfTests == .atStart { try store.testSelf() }
    let committer = MediaCommitter(to: store, urlBase: settings.urlBase(of: store.path), on: disk)
    opened.withLock { $0 = committer }
    return committer
  }

  /// Why no file can be stored unless the operator acts; nil if one can be, or could be later, as when it is
  /// only full.
  func lastingError() async -> StoreError? {
    await disk.run { [self] in
      do throws(StoreError) {
        _ = try openNow().store.makeFile()
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
}
