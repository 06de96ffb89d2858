internal import Dispatch
internal import Supporting
internal import Synchronization

/// The cache's file. It has its own queue because it blocks on the disk. If the file is damaged or
/// cannot be written, the cache goes on in memory, and warns once.
package final class CacheFile: Sendable {
  /// The default name of the file. The leading dot shows that it is not a medium.
  package static let name = ".push-enricher-cache"

  private struct State: ~Copyable {
    var table: CacheTable?
    var isTried = false
    var hasWarned = false
  }

  private let path: String?
  private let bytes: Int
  private let warn: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "push-enricher.cache")

  /// - Parameter path: nil means `name` in the directory of the spools.
  package init(path: String?, bytes: Int, warn: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.bytes = bytes
    self.warn = warn
  }

  /// The entry of a URL, or nil if it may not be used. It counts as used now.
  /// - Parameter known: the entry in memory. If it is no longer fresh, the file is read, too, because another
  ///   process may have renewed its entry. The later one counts.
  package func find(
    _ url: URLDigest, known: CacheEntry?, besides directory: String,
    where isUsable: @escaping @Sendable (CacheEntry) -> Bool
  ) async -> CacheEntry? {
    await queue.run { [self] in
      let isCurrent = known?.isFresh(at: WallClock.milliseconds) ?? false
      let kept: CacheEntry? =
        isCurrent
        ? nil : use(besides: directory) { (table) throws(CacheError) in try table.find(url) } ?? nil
      let usable = [kept, known].compactMap(\.self).filter(isUsable)
      guard let entry = usable.max(by: { $0.reuse.received < $1.reuse.received }) else { return nil }
      // Even if it was in memory, so that it does not become the least recently used in the file.
      put(entry, of: url, besides: directory)
      return entry
    }
  }

  /// Keeps the entry of a URL; nil removes it.
  package func set(_ entry: CacheEntry?, of url: URLDigest, besides directory: String) async {
    await queue.run { [self] in put(entry, of: url, besides: directory) }
  }

  private func put(_ entry: CacheEntry?, of url: URLDigest, besides directory: String) {
    use(besides: directory) { (table) throws(CacheError) in
      if let entry { try table.put(entry, at: WallClock.milliseconds) } else { try table.remove(url) }
    }
  }

  /// Returns nil if the table cannot be used.
  @discardableResult
  private func use<Value: Sendable>(
    besides directory: String, _ body: (borrowing CacheTable) throws(CacheError) -> Value
  ) -> Value? {
    state.withLock { state in
      do throws(CacheError) {
        // If this fails, it is not tried again before the next start.
        if !state.isTried {
          state.isTried = true
          state.table = try CacheTable(path: path ?? "\(directory)/\(Self.name)", bytes: bytes)
        }
        guard let table = state.table.take() else { return nil }
        let result = Result { () throws(CacheError) in try body(table) }
        state.table = consume table
        return try result.get()
      } catch {
        if !state.hasWarned { warn("media that could be reused are fetched again: \(error)") }
        state.hasWarned = true
        return nil
      }
    }
  }
}
