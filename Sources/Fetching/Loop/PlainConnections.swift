internal import CLinux
internal import Glibc
internal import Supporting

/// The connections without TLS: how much libcurl has read from one only its socket tells, and libcurl does
/// not say which one a transfer has.
final class PlainConnections {
  /// By their descriptors. Some are closed meanwhile; there are no more than the process had descriptors at
  /// once.
  private var connections: [Int32: PlainConnection] = [:]
  /// Descriptors by the ends of their connections, and how many connections there had been when these were
  /// looked at.
  private var known: [PlainConnection.Ends: (descriptor: Int32, opened: Int)] = [:]
  /// Connections so far.
  private var opened = 0

  /// A new one is opened.
  func add(_ descriptor: Int32) {
    opened += 1
    connections[descriptor] = PlainConnection(descriptor)
    // What is not known is looked for.
    if known.count > 4 * connections.count { known = [:] }
  }

  /// The one between these ends; nil where there is none any more.
  func find(_ ends: PlainConnection.Ends) -> PlainConnection? {
    if let (descriptor, opened) = known[ends], let one = connections[descriptor] {
      // While no other is opened, none has the same ends.
      if opened == self.opened { return one }
      if one.ends == ends {
        known[ends]?.opened = self.opened
        return one
      }
    }
    let found = connections.values.first { $0.ends == ends }
    known[ends] = found.map { ($0.descriptor, opened) }
    return found
  }
}

/// A connection without TLS, on which one answer comes after the other.
final class PlainConnection {
  /// What tells it from others. Its ports alone do not: the kernel gives a local port to several that lead to
  /// different addresses (ip(7), IP_BIND_ADDRESS_NO_PORT). To the same address it does so only from another
  /// local address, and there is hardly more than one from which that is reached: it is left out.
  struct Ends: Hashable {
    let localPort: Int
    /// Where it leads to.
    let address: IPAddress
    let port: Int
  }

  fileprivate let descriptor: Int32
  /// Bytes of the answers before this one.
  private var before = 0

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Bytes of this answer that were read; 0 where the kernel does not say (before Linux 4.1).
  var bytesRead: Int { max(0, Int(socket_bytes_read(descriptor)) - before) }

  /// The answer is complete. What is read from here on is another's.
  func complete() { before += bytesRead }

  /// Nil while it is not connected.
  fileprivate var ends: Ends? {
    var remote = sockaddr_in6()
    let localPort = unsafe socket_ends(descriptor, &remote)
    let port = Int(in_port_t(bigEndian: remote.sin6_port))
    let address = unsafe withUnsafePointer(to: &remote) { remote in
      unsafe remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe IPAddress($0) }
    }
    guard localPort >= 0, let address else { return nil }
    return Ends(localPort: Int(localPort), address: address, port: port)
  }
}
