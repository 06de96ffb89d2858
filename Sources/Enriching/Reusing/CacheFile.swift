internal import Caching
internal import Dispatch
internal import Storing
internal import Supporting
internal import Synchronization

/// The cache's file in the store, and the stored files that it refers to: all that blocks on the disk, on one
/// queue of its own.
///
/// If its file is damaged or cannot be written, the cache goes on in memory, and warns once.
final class CacheFile: Sendable {
  /// Its name in the store, with a dot in front because it is not a medium.
  static let name = ".push-enricher-cache"

  private struct State: ~Copyable {
    var table: CacheTable?
    var cannotOpen = false
    var hasWarned = false
  }

  private let bytes: Int
  private let warn: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "push-enricher.cache")

  /// - Parameter bytes: its size on the disk.
  init(bytes: Int, warn: @escaping @Sendable (String) -> Void) {
    self.bytes = bytes
    self.warn = warn
  }

  /// The entry of a URL, if its file is in the store. That counts as used from then on.
  /// - Parameters:
  ///   - known: the entry in memory; without it, the cache's file is read.
  ///   - isUsable: whether the entry may be used under the present settings.
  func find(
    _ url: URLDigest, known: CacheEntry?, in store: DirectoryStore,
    where isUsable: @escaping @Sendable (CacheEntry) -> Bool
  ) async -> CacheEntry? {
    await queue.run { [self] in
      let found = known ?? use(in: store) { (table) throws(CacheError) in try table.find(url) } ?? nil
      guard let entry = found, isUsable(entry) else { return nil }
      guard store.touch(entry.file.name, size: entry.file.size) else {
        use(in: store) { (table) throws(CacheError) in try table.remove(url) }
        return nil
      }
      // Also if it was in memory, so that it does not become the least recently used one in the file.
      use(in: store) { (table) throws(CacheError) in try table.put(entry, at: WallClock.milliseconds) }
      return entry
    }
  }

  /// Whether the file of `entry` is still there. It counts as used from now on.
  func isThere(_ entry: CacheEntry, in store: DirectoryStore) async -> Bool {
    await queue.run { store.touch(entry.file.name, size: entry.file.size) }
  }

  /// Keeps `entry`.
  func put(_ entry: CacheEntry, in store: DirectoryStore) async {
    await queue.run { [self] in
      use(in: store) { (table) throws(CacheError) in try table.put(entry, at: WallClock.milliseconds) }
    }
  }

  /// Removes the entry of a URL.
  func remove(_ url: URLDigest, in store: DirectoryStore) async {
    await queue.run { [self] in
      use(in: store) { (table) throws(CacheError) in try table.remove(url) }
    }
  }

  /// - Returns: nil if the table cannot be used.
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
        if !state.hasWarned { warn("media are fetched again that could be reused: \(error)") }
        state.hasWarned = true
        return nil
      }
    }
  }

  private func open(_ state: inout State, in store: DirectoryStore) throws(CacheError) -> CacheTable {
    if let table = state.table.take() { return table }
    // Not tried again after a failure, until the next start.
    state.cannotOpen = true
    let table = try CacheTable(path: "\(store.path)/\(Self.name)", bytes: bytes)
    state.cannotOpen = false
    return table
  }
}
