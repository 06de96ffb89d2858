/// Asks for a permit to send requests to a host.
struct PermitRequest: Sendable {
  let origin: Origin
  let url: URLHash
  /// Memory that the payload takes while it waits, in bytes.
  let bytes: Int
}

/// Stands for a URL where keeping its text would cost too much. Two URLs may have the same one.
typealias URLHash = Int

enum PermitDecision: Sendable, Equatable {
  case granted
  case refused(HostRefusal)
}

extension PermitRequest {
  init(_ url: RemoteURL, bytes: Int) { self.init(origin: url.origin, url: url.urlHash, bytes: bytes) }
}

extension RemoteURL {
  var urlHash: URLHash {
    var hasher = Hasher()
    hasher.combine(origin)
    hasher.combine(target)
    return hasher.finalize()
  }
}
