/// How a shared cache may reuse a file, according to all responses of its fetch.
package struct Reuse: Equatable, Sendable {
  /// The freshness of the last response, with the shortest remaining time of all responses.
  let freshness: Freshness
  /// When the file was complete, in milliseconds since 1970.
  let received: Int64
  let etag: String?
  let lastModified: HTTPDate?
}

extension Reuse {
  /// - Parameters:
  ///   - requested: when the first request was sent, in milliseconds since 1970.
  ///   - previous: the entry that the server was asked to confirm, if any.
  /// - Returns: nil if the file may not be shared (RFC 9111 section 3) or has changed.
  package init?(of responses: [Response], requested: Int64, received: Int64, previous: CacheEntry? = nil) {
    guard let last = responses.last, last.status == 200 || last.status == 304 && previous != nil,
      !responses.contains(where: { $0.control.forbidsStoring || $0.varies(by: "*") })
    else { return nil }
    let previous = last.status == 304 ? previous?.reuse : nil
    if let previous, let new = last.etag {
      // A strong tag names one version, which may not be the one here (RFC 9111 section 4.3.4).
      guard previous.etag.map({ $0.isSameTag(as: new) }) ?? new.hasPrefix("W/") else { return nil }
    }
    let own = Freshness(of: last, requested: requested, received: received, previous: previous)
    let rests = responses.dropLast().map { Freshness(of: $0, requested: requested, received: received).rest }
    self.init(
      freshness: Freshness(basis: own.basis, lifetime: own.lifetime, rest: rests.reduce(own.rest, min)),
      received: received, etag: last.etag ?? previous?.etag,
      lastModified: last.lastModified ?? previous?.lastModified)
  }
}

extension String {
  /// Whether both name the same version (RFC 9110 section 8.8.3.2, weak comparison).
  fileprivate func isSameTag(as other: String) -> Bool {
    (hasPrefix("W/") ? dropFirst(2) : self[...]) == (other.hasPrefix("W/") ? other.dropFirst(2) : other[...])
  }
}
