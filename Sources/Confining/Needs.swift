/// What a process still needs once it is confined.
package struct Needs: Sendable {
  /// Nil allows all files and all TCP ports.
  package var paths: AllowedPaths?
  /// TCP ports of other hosts to connect to.
  package var connectPorts: Set<Int> = []
  /// TCP ports to listen on. 0 means a port that the kernel chooses.
  package var listenPorts: Set<Int> = []
  package var calls: CallGroup = []

  package init(paths: AllowedPaths? = nil, calls: CallGroup = []) {
    (self.paths, self.calls) = (paths, calls)
  }
}

/// System calls that only some commands need.
package struct CallGroup: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Waiting for connections.
  package static let listening = CallGroup(rawValue: 1 << 0)
  /// Loading libraries later: OpenSSL's modules, and those of the C library for host names.
  package static let libraries = CallGroup(rawValue: 1 << 2)
  /// Setting the owner and mode of files, as SQLite and `LeaseOwner` do beside a database.
  package static let owners = CallGroup(rawValue: 1 << 3)
}
