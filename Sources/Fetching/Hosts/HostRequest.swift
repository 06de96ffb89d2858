/// What somebody asks for: leave to ask a host.
struct HostRequest: Sendable {
  let origin: Origin
  /// Memory that the one who asks takes while he waits, in bytes.
  let bytes: Int
}

/// What he is told.
enum HostAnswer: Sendable, Equatable {
  case granted
  case refused(HostRefusal)
}
