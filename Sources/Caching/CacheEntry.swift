/// What the cache knows about one URL. Times are in milliseconds since 1970. This and `CachedFile` are
/// classes, because the async frames of waiting payloads hold them.
package final class CacheEntry: Equatable, Sendable {
  package let url: URLDigest
  /// The URL after all redirects. The validators belong to it.
  package let source: URLDigest
  /// A fingerprint of the settings when it was fetched. Other settings might have refused it.
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
  package var isFreshOnArrival: Bool { reuse.freshness.rest > 0 }

  /// Whether it may be used now without asking the server. False if the clock has been set back since.
  package func isFresh(at now: Int64) -> Bool {
    let rest = reuse.freshness.rest
    return reuse.received <= now && now < reuse.received + rest && rest <= Freshness.longest
  }

  /// Header lines that ask the server whether this is still its file. Empty without validators.
  package var conditions: [String] {
    let lines = [
      reuse.etag.map { "If-None-Match: \($0)" }, reuse.lastModified.map { "If-Modified-Since: \($0.text)" },
    ]
    return lines.compactMap(\.self)
  }

  /// The same file, after the server has confirmed that it has not changed.
  package func renewed(_ reuse: Reuse) -> CacheEntry {
    CacheEntry(url: url, source: source, policy: policy, file: file, reuse: reuse)
  }
}

/// A verified file that several payloads may name, in the terms of the store and the sniffer.
package final class CachedFile: Equatable, Sendable {
  /// Its name in the store: `<sha256>.<extension>`.
  package let name: String
  /// The size in bytes.
  package let size: Int
  package let format: String
  /// As the server sent it.
  package let contentType: String?
  /// The facts that the sniffer found; 0 for an unknown one.
  package let numbers: SIMD4<Int>

  package init(name: String, size: Int, format: String, contentType: String?, numbers: SIMD4<Int> = .zero) {
    self.name = name
    self.size = size
    self.format = format
    self.contentType = contentType
    self.numbers = numbers
  }

  package static func == (left: CachedFile, right: CachedFile) -> Bool {
    (left.name, left.size, left.format, left.contentType, left.numbers)
      == (right.name, right.size, right.format, right.contentType, right.numbers)
  }
}
