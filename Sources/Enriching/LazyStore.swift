internal import Dispatch
internal import Sniffing
internal import Storing
internal import Supporting
internal import Synchronization

/// The store, opened when the first medium needs it and tried again with the next one if that failed.
///
/// Opening and naming run on one queue of their own, bodies are written on the transfer loop: a disk that hangs holds these two
/// threads, and with them all media, but never an outcome.
final class LazyStore: Sendable {
  private typealias Kept = CheckedContinuation<Result<MediaIntake.Kept, Failure>, Never>

  private let settings: EnrichmentSettings
  private let unwrittenBytes: Int?
  private let opened = Mutex<DirectoryStore?>(nil)
  private let disk = DispatchQueue(label: "push-enricher.disk")
  private let waiting = Mutex<[(intake: MediaIntake, continuation: Kept)]>([])

  /// - Parameter unwrittenBytes: bytes of files that may be on their way to the disk; nil where the kernel sees to that.
  init(_ settings: EnrichmentSettings, unwrittenBytes: Int?) {
    self.settings = settings
    self.unwrittenBytes = unwrittenBytes
  }

  /// Absolute once it has been opened.
  var path: String { opened.withLock { $0?.path } ?? settings.store }

  func open() async throws(Failure) -> DirectoryStore {
    if let store = opened.withLock({ $0 }) { return store }
    return try await disk.run { [self] () throws(Failure) in
      do throws(StoreError) {
        return try openNow()
      } catch {
        throw Failure(error)
      }
    }
  }

  private func openNow() throws(StoreError) -> DirectoryStore {
    if let store = opened.withLock({ $0 }) { return store }
    let store = try DirectoryStore(
      path: settings.store, creating: settings.makesStore, isDurable: settings.isDurable,
      unwrittenBytes: unwrittenBytes, pieceBytes: settings.isForOnePayload ? 262_144 : 0)
    // One file by itself tries all of that.
    if !settings.isForOnePayload { try store.testSelf() }
    opened.withLock { $0 = store }
    return store
  }

  /// Why no file will ever come into the store unless somebody sees to it; nil where one may, as when it is only full for now.
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

  /// Gives what `intake` took in its name. Those that come while the disk is busy are kept together.
  func keep(_ intake: MediaIntake) async throws(Failure) -> MediaIntake.Kept {
    try await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        waiting.append((intake, continuation))
        return waiting.count == 1
      }
      if isFirst { disk.async { [self] in keepWaiting() } }
    }.get()
  }

  private func keepWaiting() {
    let group = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    var files: [FinishedFile] = []
    var others: [(format: MediaFormat, continuation: Kept)] = []
    for (intake, continuation) in group {
      do throws(Failure) {
        let (file, format) = try intake.finish()
        files.append(file)
        others.append((format, continuation))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    // There is one store, once it has been opened.
    guard let store = group.first?.intake.store else { return }
    for (result, (format, continuation)) in zip(store.keep(files), others) {
      continuation.resume(returning: result.map { ($0, format) }.mapError { Failure($0) })
    }
  }
}
