/// Asks for a permit to send requests to a host.
struct PermitRequest: Sendable {
  let origin: Origin
  let url: URLHash
  /// Memory that the payload takes while it waits, in bytes.
  let bytes: Int
  let turn: PayloadTurn
}

/// Stands for a URL, because its text would take too much memory. Two URLs may have the same one.
typealias URLHash = Int

enum PermitDecision: Sendable, Equatable {
  case granted
  case refused(HostRefusal)
}

extension PermitRequest {
  init(_ url: RemoteURL, bytes: Int, turn: PayloadTurn) {
    self.init(origin: url.origin, url: url.urlHash, bytes: bytes, turn: turn)
  }
}

extension RemoteURL {
  var urlHash: URLHash {
    var hasher = Hasher()
    hasher.combine(origin)
    hasher.combine(target)
    return hasher.finalize()
  }
}
