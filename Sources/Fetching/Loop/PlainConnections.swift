internal import CLinux

/// The connections without TLS: how much libcurl has read from one only its socket tells, and libcurl does
/// not say which one a transfer has.
final class PlainConnections {
  /// By their descriptors. Some are closed meanwhile; there are no more than the process had descriptors at
  /// once.
  private var connections: [Int32: PlainConnection] = [:]
  /// Descriptors by the ports on both sides, and how many connections there had been when it was looked at.
  private var known: [Int: (descriptor: Int32, opened: Int)] = [:]
  /// Connections so far.
  private var opened = 0

  /// A new one is opened.
  func add(_ descriptor: Int32) {
    opened += 1
    connections[descriptor] = PlainConnection(descriptor)
    // Descriptors are given anew, ports hardly: what is not known is looked for.
    if known.count > 4 * connections.count { known = [:] }
  }

  /// The one between two ports; nil where there is none any more.
  func find(from localPort: Int, to remotePort: Int) -> PlainConnection? {
    let ports = localPort << 16 | remotePort
    if let (descriptor, opened) = known[ports], let one = connections[descriptor] {
      // While no other is opened, none gets its ports.
      if opened == self.opened { return one }
      if one.connects(localPort, remotePort) {
        known[ports]?.opened = self.opened
        return one
      }
    }
    let found = connections.values.first { $0.connects(localPort, remotePort) }
    known[ports] = found.map { ($0.descriptor, opened) }
    return found
  }
}

/// A connection without TLS, on which one answer comes after the other.
final class PlainConnection {
  fileprivate let descriptor: Int32
  /// Bytes of the answers before this one.
  private var before = 0

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Bytes of this answer that were read; 0 where the kernel does not say (before Linux 4.1).
  var bytesRead: Int { max(0, Int(socket_bytes_read(descriptor)) - before) }

  /// The answer is complete. What is read from here on is another's.
  func complete() { before += bytesRead }

  fileprivate func connects(_ localPort: Int, _ remotePort: Int) -> Bool {
    socket_connects(descriptor, Int32(clamping: localPort), Int32(clamping: remotePort))
  }
}
