/// What is known of one URL: the file that came of it, and for how long that may be used. Times are in milliseconds since 1970.
package struct CacheEntry: Equatable, Sendable {
  /// The file that was verified, as the store and the sniffer speak of it.
  package struct File: Equatable, Sendable {
    /// In the store: `<sha256>.<extension>`.
    package let name: String
    /// In bytes.
    package let size: Int
    /// The name of its format.
    package let format: String
    /// The server's label; nil for none, or one that is too long to be kept.
    package let contentType: String?

    package init(name: String, size: Int, format: String, contentType: String?) {
      self.name = name
      self.size = size
      self.format = format
      self.contentType = contentType.flatMap { $0.utf8.count <= CacheEntry.maximumText ? $0 : nil }
    }
  }

  /// Of the texts in it, in bytes.
  static let maximumText = 128

  package let url: URLDigest
  /// Where redirects have led: whom `etag` and `lastModified` belong to.
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

  package init(url: URLDigest, source: URLDigest, policy: UInt64, file: File, reuse: Reuse) {
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

  /// Whether it may be used without asking the server. One from the future says that somebody has set the clock: what its times mean
  /// is not known then.
  package func isFresh(at now: Int64) -> Bool {
    received <= now && now < freshUntil && freshUntil - received <= Freshness.longest
  }

  /// What asks the server whether this is still its file, as lines of a request; empty where nothing can.
  package var conditions: [String] {
    var lines: [String] = []
    if let etag { lines.append("If-None-Match: \(etag)") }
    if let lastModified { lines.append("If-Modified-Since: \(lastModified.text)") }
    return lines
  }

  /// The same file, after the server has said that it has not changed.
  /// - Parameter reuse: of its answers, with this as `previous`.
  package func renewed(_ reuse: Reuse) -> CacheEntry {
    CacheEntry(url: url, source: source, policy: policy, file: file, reuse: reuse)
  }

  var freshness: Freshness {
    Freshness(basis: basis, lifetime: lifetime, rest: max(0, min(freshUntil - received, Freshness.longest)))
  }
}
