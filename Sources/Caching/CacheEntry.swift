/// What the cache knows of one URL: its file, and how long that may be used. Times are in milliseconds since
/// 1970.
///
/// A class, because payloads that wait hold it in their frames on the heap.
package final class CacheEntry: Equatable, Sendable {
  package let url: URLDigest
  /// The URL after all redirects, which the validators belong to.
  package let source: URLDigest
  /// A fingerprint of the settings that it was fetched under: others might have refused it.
  package let policy: UInt64
  package let file: CachedFile
  let reuse: Reuse

  package init(url: URLDigest, source: URLDigest, policy: UInt64, file: CachedFile, reuse: Reuse) {
    self.url = url
    self.source = source
    self.policy = policy
    self.file = file
    self.reuse = reuse
  }

  package static func == (left: CacheEntry, right: CacheEntry) -> Bool {
    (left.url, left.source, left.policy, left.file, left.reuse)
      == (right.url, right.source, right.policy, right.file, right.reuse)
  }

  /// Whether it may be used without asking the server, at least for a while.
  package var isFreshOnArrival: Bool { reuse.isFresh }

  /// Whether it may be used without asking the server. Not if it is from the future: the clock has been set,
  /// and its times mean nothing.
  package func isFresh(at now: Int64) -> Bool {
    let rest = reuse.freshness.rest
    return reuse.received <= now && now < reuse.received + rest && rest <= Freshness.longest
  }

  /// Header lines of a request that ask the server whether this is still its file; empty if it gave no
  /// validators.
  package var conditions: [String] {
    [
      reuse.etag.map { "If-None-Match: \($0)" },
      reuse.lastModified.map { "If-Modified-Since: \($0.text)" },
    ].compactMap(\.self)
  }

  /// The same file, after the server has confirmed that it has not changed.
  /// - Parameter reuse: that of the responses, with this entry as `previous`.
  package func renewed(_ reuse: Reuse) -> CacheEntry {
    CacheEntry(url: url, source: source, policy: policy, file: file, reuse: reuse)
  }
}
