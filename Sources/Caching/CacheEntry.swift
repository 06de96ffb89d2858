/// What the cache knows of one URL: its file, and how long that may be used. Times are in milliseconds since
/// 1970.
///
/// A class, because payloads that wait hold it in their frames on the heap.
package final class CacheEntry: Equatable, Sendable {
  /// The verified file, in the terms of the store and the sniffer.
  package struct File: Equatable, Sendable {
    /// Its name in the store: `<sha256>.<extension>`.
    package let name: String
    /// The size in bytes.
    package let size: Int
    /// The name of its format.
    package let format: String
    /// The server's label; nil if there is none, or it is too long to be kept.
    package let contentType: String?

    package init(name: String, size: Int, format: String, contentType: String?) {
      self.name = name
      self.size = size
      self.format = format
      self.contentType = contentType.flatMap { $0.utf8.count <= CacheEntry.maximumText ? $0 : nil }
    }
  }

  /// The longest text in an entry, in bytes.
  static let maximumText = 128

  package let url: URLDigest
  /// The URL after all redirects, which `etag` and `lastModified` belong to.
  package let source: URLDigest
  /// A fingerprint of the settings that it was fetched under: others might have refused it.
  package let policy: UInt64
  package let file: File
  let basis: Freshness.Basis
  let lifetime: Int64
  let received: Int64
  let freshUntil: Int64
  let etag: String?
  let lastModified: HTTPDate?

  package convenience init(url: URLDigest, source: URLDigest, policy: UInt64, file: File, reuse: Reuse) {
    self.init(
      url: url, source: source, policy: policy, file: file, basis: reuse.freshness.basis,
      lifetime: reuse.freshness.lifetime, received: reuse.received,
      freshUntil: reuse.received + reuse.freshness.rest, etag: reuse.etag, lastModified: reuse.lastModified)
  }

  init(
    url: URLDigest, source: URLDigest, policy: UInt64, file: File, basis: Freshness.Basis, lifetime: Int64,
    received: Int64, freshUntil: Int64, etag: String?, lastModified: HTTPDate?
  ) {
    self.url = url
    self.source = source
    self.policy = policy
    self.file = file
    self.basis = basis
    self.lifetime = lifetime
    self.received = received
    self.freshUntil = freshUntil
    self.etag = etag
    self.lastModified = lastModified
  }

  package static func == (left: CacheEntry, right: CacheEntry) -> Bool {
    (left.url, left.source, left.policy, left.file) == (right.url, right.source, right.policy, right.file)
      && (left.basis, left.lifetime, left.received, left.freshUntil)
        == (right.basis, right.lifetime, right.received, right.freshUntil)
      && (left.etag, left.lastModified) == (right.etag, right.lastModified)
  }

  /// Whether it may be used without asking the server. Not if it is from the future: the clock has been set,
  /// and its times mean nothing.
  package func isFresh(at now: Int64) -> Bool {
    received <= now && now < freshUntil && freshUntil - received <= Freshness.longest
  }

  /// Header lines of a request that ask the server whether this is still its file; empty if it gave no
  /// validators.
  package var conditions: [String] {
    var lines: [String] = []
    if let etag { lines.append("If-None-Match: \(etag)") }
    if let lastModified { lines.append("If-Modified-Since: \(lastModified.text)") }
    return lines
  }

  /// The same file, after the server has confirmed that it has not changed.
  /// - Parameter reuse: that of the responses, with this entry as `previous`.
  package func renewed(_ reuse: Reuse) -> CacheEntry {
    CacheEntry(url: url, source: source, policy: policy, file: file, reuse: reuse)
  }

  var freshness: Freshness {
    Freshness(basis: basis, lifetime: lifetime, rest: max(0, min(freshUntil - received, Freshness.longest)))
  }
}
