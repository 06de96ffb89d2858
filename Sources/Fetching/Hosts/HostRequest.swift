/// What somebody asks for: leave to ask a host.
struct HostRequest: Sendable {
  let origin: Origin
  let url: URLMark
  /// Memory that the one who asks takes while he waits, in bytes.
  let bytes: Int
}

/// Tells one URL from another, most likely: its hash.
typealias URLMark = Int

/// What he is told.
enum HostAnswer: Sendable, Equatable {
  case granted
  case refused(HostRefusal)
}

extension HostRequest {
  init(_ url: RemoteURL, bytes: Int) { self.init(origin: Origin(url), url: url.mark, bytes: bytes) }
}

extension RemoteURL {
  var mark: URLMark { text.hashValue }
}
