internal import Storing
internal import Supporting
internal import Synchronization

/// Opens the store when the first medium needs it. If that fails, the next medium tries again.
final class LazyStore: Sendable {
  private let place: Result<StorePlace, StoreError>
  private let settings: StoreSettings
  private let opened = Mutex<(any MediaStore)?>(nil)
  private let isTrying = Atomic(false)
  /// The size of the file that tests the store, in bytes: that of a large photo.
  private static let trialBytes = 262_144

  init(_ place: Result<StorePlace, StoreError>, _ settings: StoreSettings) {
    self.place = place
    self.settings = settings
  }

  func get() async throws(Failure) -> any MediaStore {
    if let store = opened.withLock({ $0 }) { return store }
    return try await settings.disk.run { [self] () throws(Failure) in
      try rethrowing(as: Failure.init, open)
    }
  }

  private func open() throws(StoreError) -> any MediaStore {
    if let store = opened.withLock({ $0 }) { return store }
    let store = try place.get().open(settings)
    opened.withLock { $0 = store }
    return store
  }

  /// Whether the disk hangs, because none of the running calls has returned for `patience`.
  func hangs(for patience: Duration) -> Bool {
    opened.withLock { $0 }?.spools.activity.silence().map { $0 >= patience } ?? false
  }

  /// Tries to store a file. Repeated tries do not fill the store.
  /// - Returns: why that failed, or nil. `storeHangs` if an earlier try still runs, because tries
  ///   must not pile up.
  func tryOut() async -> Failure? {
    guard !isTrying.exchange(true, ordering: .relaxed) else { return .storeHangs }
    defer { isTrying.store(false, ordering: .relaxed) }
    return await error(at: Self.trialBytes).map { Failure($0) }
  }

  /// Why no file can be stored, and whether that lasts until the operator acts. Nil if files can be stored.
  func failure() async -> (failure: Failure, isLasting: Bool)? {
    await error(at: 0).map { (Failure($0), $0.extent == .lasting) }
  }

  private func error(at bytes: Int) async -> StoreError? {
    do throws(StoreError) {
      let store = try await settings.disk.run { [self] () throws(StoreError) in try open() }
      try await store.tryOut(bytes: bytes)
      return nil
    } catch {
      return error
    }
  }
}
