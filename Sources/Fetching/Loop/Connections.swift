internal import CLinux
internal import Glibc
internal import Supporting

/// The sockets of libcurl's connections. libcurl does not say which one a transfer has: its ends do.
final class Connections {
  /// By their descriptors. Some are closed by now; there are no more than the process had descriptors at once.
  private var connections: [Int32: Connection] = [:]
  /// Those that have had a request. Of several with the same ends, the last one is open.
  private var used: [Connection.Ends: Connection] = [:]

  /// A new one is opened.
  @discardableResult
  func add(_ descriptor: Int32) -> Connection {
    let connection = Connection(descriptor)
    connections[descriptor] = connection
    if used.count > 4 * connections.count { used = [:] }
    return connection
  }

  /// The one between these ends; nil if there is none any more.
  /// - Parameter opened: those that were opened just now, in the hope of one that connects.
  func find(_ ends: Connection.Ends, among opened: [Connection] = []) -> Connection? {
    if let new = opened.first(where: { $0.ends == ends }) {
      used[ends] = new
      return new
    }
    if let known = used[ends] { return known }
    let found = connections.values.first { ($0.endsInUse ?? $0.ends) == ends }
    used[ends] = found
    return found
  }

  /// Something has come on a connection that no transfer uses.
  func endIdle(_ descriptor: Int32) { connections[descriptor]?.endIdle() }
}

/// A connection. Over HTTP/1.1 one answer comes after the other, and what comes is the answer to whatever was
/// asked last: nothing may come before it is asked for.
final class Connection {
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
  /// Its ends since its first request; nil before.
  fileprivate private(set) var endsInUse: Ends?
  private var isHTTP2 = false
  /// Whether an answer is to come. libcurl does not wait for one while its transfer has to pause.
  private var isAwaited = false

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Bytes of this answer that were read; 0 where the kernel does not say (before Linux 4.1).
  var bytesRead: Int { max(0, Int(socket_bytes_read(descriptor)) - before) }

  /// The answer is complete. What is read from here on is another's.
  /// - Parameter countsBytes: whether `bytesRead` is of use.
  func complete(countsBytes: Bool) {
    isAwaited = false
    if countsBytes { before += bytesRead }
  }

  /// A request is about to be sent. If it is not the first one, and something has come that nobody asked for,
  /// the connection is ended: libcurl takes a new one then. This costs a system call for each connection that
  /// is used again.
  /// - Parameters:
  ///   - isHTTP2: whether frames may come at any time.
  ///   - isPending: whether OpenSSL has something to read.
  func begin(between ends: Ends, isHTTP2: Bool, isPending: Bool) {
    if endsInUse != nil, !isHTTP2, isPending || isReadable { end() }
    endsInUse = ends
    isAwaited = true
    self.isHTTP2 = isHTTP2
  }

  /// Something has come while no transfer uses it.
  fileprivate func endIdle() {
    // By now its descriptor may be that of another file, of any kind.
    guard let endsInUse, !isAwaited, !isHTTP2, ends == endsInUse else { return }
    end()
  }

  /// Whether there is something to read, or it has ended.
  private var isReadable: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count >= 0 || errno != EAGAIN
  }

  /// libcurl finds it closed. It would read what is there before that: it is thrown away, and to what still
  /// comes the kernel answers with a reset (tcp(7), MSG_TRUNC).
  private func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    let flags = Int32(MSG_TRUNC | MSG_DONTWAIT)
    while recv(descriptor, nil, Int(Int32.max), flags) > 0 {}
  }

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
