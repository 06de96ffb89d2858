internal import Caching
internal import Dispatch
internal import Storing
internal import Supporting
internal import Synchronization

/// The cache's file, in the store, and the files that it speaks of: all that waits for a disk, on one thread of its own.
///
/// Without its file, because it is damaged or nobody may write there, the cache goes on in memory; that is told once.
final class CacheFile: Sendable {
  /// In the store. A dot in front: it is no medium.
  static let name = ".push-enricher-cache"

  private struct State: ~Copyable {
    var table: CacheTable?
    var cannotOpen = false
    var hasTold = false
  }

  private let bytes: Int
  private let tell: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "push-enricher.cache")

  /// - Parameter bytes: what it may take on the disk.
  init(bytes: Int, tell: @escaping @Sendable (String) -> Void) {
    self.bytes = bytes
    self.tell = tell
  }

  /// What is known of a URL, if its file is there: it is in use from then on.
  /// - Parameters:
  ///   - known: what memory has; the cache's file is asked without it.
  ///   - isUsable: whether it may be used under today's settings.
  func find(
    _ url: URLDigest, known: CacheEntry?, in store: DirectoryStore,
    where isUsable: @escaping @Sendable (CacheEntry) -> Bool
  ) async -> CacheEntry? {
    await queue.run { [self] in
      let found = known ?? use(in: store) { (table) throws(CacheError) in try table.find(url) } ?? nil
      guard let entry = found, isUsable(entry) else { return nil }
      guard store.use(entry.file.name, size: entry.file.size) else {
        use(in: store) { (table) throws(CacheError) in try table.remove(url) }
        return nil
      }
      // Also of what memory has, from time to time, so that it is not the next to go.
      use(in: store) { (table) throws(CacheError) in try table.put(entry, at: WallClock.milliseconds) }
      return entry
    }
  }

  /// Whether the file of `entry` is still there, and in use from now on.
  func isThere(_ entry: CacheEntry, in store: DirectoryStore) async -> Bool {
    await queue.run { store.use(entry.file.name, size: entry.file.size) }
  }

  /// Keeps `entry`.
  func put(_ entry: CacheEntry, in store: DirectoryStore) async {
    await queue.run { [self] in
      use(in: store) { (table) throws(CacheError) in try table.put(entry, at: WallClock.milliseconds) }
    }
  }

  /// Forgets what is known of a URL.
  func remove(_ url: URLDigest, in store: DirectoryStore) async {
    await queue.run { [self] in
      use(in: store) { (table) throws(CacheError) in try table.remove(url) }
    }
  }

  /// - Returns: nil when the table cannot be used.
  @discardableResult
  private func use<Value: Sendable>(
    in store: DirectoryStore, _ body: (borrowing CacheTable) throws(CacheError) -> Value
  ) -> Value? {
    state.withLock { state in
      guard !state.cannotOpen else { return nil }
      do throws(CacheError) {
        let table = try open(&state, in: store)
        let result = Result { () throws(CacheError) in try body(table) }
        state.table = consume table
        return try result.get()
      } catch {
        if !state.hasTold { tell("media are fetched again that could be reused: \(error)") }
        state.hasTold = true
        return nil
      }
    }
  }

  private func open(_ state: inout State, in store: DirectoryStore) throws(CacheError) -> CacheTable {
    if let table = state.table.take() { return table }
    // Not again after a failure: whatever stands there, it is looked at with the next start.
    state.cannotOpen = true
    let table = try CacheTable(path: "\(store.path)/\(Self.name)", bytes: bytes)
    state.cannotOpen = false
    return table
  }
}
