/// What all answers of a fetch together allow a shared cache to do with the file: the redirects that led to it, and the last one.
package struct Reuse: Equatable, Sendable {
  /// Of the last answer, with the least that any of them leaves.
  let freshness: Freshness
  /// When the file was complete, in milliseconds since 1970.
  let received: Int64
  /// What the last answer calls this version of the file.
  let etag: String?
  let lastModified: HTTPDate?

  /// Whether it may be used without asking the server, for a while at least.
  package var isFresh: Bool { freshness.rest > 0 }

  /// - Parameters:
  ///   - answers: in their order.
  ///   - requested: when the first request was sent, in milliseconds since 1970, and
  ///   - received: when all of the file was there.
  ///   - previous: what the server was asked about, where it may say that this has not changed.
  /// - Returns: nil when it must not be kept for others (RFC 9111 section 3), or the last answer is about something else.
  package init?(of answers: [Answer], requested: Int64, received: Int64, previous: CacheEntry? = nil) {
    guard let last = answers.last, last.status == 200 || last.status == 304 && previous != nil,
      !answers.contains(where: { $0.control.forbidsStoring || $0.varies })
    else { return nil }
    let previous = last.status == 304 ? previous : nil
    if let previous, let new = last.etag {
      // A strong one names a version, and nobody knows whether it is this one (RFC 9111 section 4.3.4).
      guard previous.etag.map({ $0.isSameTag(as: new) }) ?? new.hasPrefix("W/") else { return nil }
    }
    let own = Freshness(
      of: last, requested: requested, received: received,
      previous: previous.map { ($0.freshness, lastModified: $0.lastModified) })
    let rests = answers.dropLast().map { Freshness(of: $0, requested: requested, received: received).rest }
    freshness = Freshness(basis: own.basis, lifetime: own.lifetime, rest: rests.reduce(own.rest, min))
    self.received = received
    etag = last.etag ?? previous?.etag
    lastModified = last.lastModified ?? previous?.lastModified
  }
}

extension String {
  /// Whether both name the same version (RFC 9110 section 8.8.3.2, weak comparison).
  fileprivate func isSameTag(as other: String) -> Bool {
    (hasPrefix("W/") ? dropFirst(2) : self[...]) == (other.hasPrefix("W/") ? other.dropFirst(2) : other[...])
  }
}
