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
  private let isTrying = Atomic(false)
  /// Size of the file that tries the store out, in bytes: that of a large photo.
  private static let trialBytes = 262_144

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

  /// Whether the disk hangs: no call that writes has returned for `patience`.
  func hangs(for patience: Duration) -> Bool {
    let silence = opened.withLock { $0 }?.store.activity.silence()
    return silence.map { $0 >= patience } ?? false
  }

  /// Tries to store a file, of which nothing is left.
  /// - Returns: a failure with `store-failed` if that fails, and at once if an earlier try has not come back: on a
  ///   disk that hangs, tries must not pile up.
  func tryOut() async -> Result<Void, Failure> {
    guard !isTrying.exchange(true, ordering: .relaxed) else { return .failure(.storeHangs) }
    defer { isTrying.store(false, ordering: .relaxed) }
    return await disk.run { [self] in
      Result { () throws(StoreError) in try openNow().store.tryOut(bytes: Self.trialBytes) }.mapError {
        Failure($0)
      }
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
