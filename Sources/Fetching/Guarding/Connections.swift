internal import CLinux
internal import Glibc
internal import Supporting

/// libcurl's sockets among those that the loop waits for. Idle ones stay watched: whatever comes ends them,
/// and to leave `epoll` and come back would be two system calls for each transfer.
final class Connections {
  private let watch: SocketWatch
  /// By descriptor. Some are closed by now.
  private var connections: [Int32: Connection] = [:]
  /// Those that have had a request. Of several with the same ends, the last one is open.
  private var used: [Connection.Ends: Connection] = [:]
  private(set) var openedCount = 0

  init(_ watch: SocketWatch) { self.watch = watch }

  /// Adds a socket that was opened for libcurl. Whatever had its number before is closed, and not watched.
  @discardableResult
  func add(_ descriptor: Int32) -> Connection {
    let connection = Connection(descriptor)
    connections[descriptor] = connection
    openedCount += 1
    if used.count > 4 * connections.count { used = [:] }
    return connection
  }

  /// - Parameter opened: just now, in the hope that one connects. libcurl does not say which one it uses.
  func find(_ ends: Connection.Ends, among opened: [Connection] = []) -> Connection? {
    let found =
      opened.first { $0.ends == ends } ?? used[ends]
      ?? connections.values.first { ($0.endsInUse ?? $0.ends) == ends }
    used[ends] = found
    return found
  }

  func wait(for descriptor: Int32, reads: Bool, writes: Bool) {
    let connection = connections[descriptor]
    switch (reads, writes) {
    case (true, false) where connection?.use == .idle: connection?.use = .reading
    case (false, false) where connection?.use == .reading: connection?.use = .idle
    default:
      let isWatched = watch.watch(descriptor, reads: reads, writes: writes)
      connection?.use = isWatched && reads && !writes ? .reading : nil
    }
  }

  /// Returns whether libcurl waits for what has happened to the socket.
  func acknowledge(_ descriptor: Int32) -> Bool {
    guard let connection = connections[descriptor], connection.use == .idle else { return true }
    connection.use = nil
    watch.watch(descriptor, reads: false, writes: false)
    connection.endIdle()
    return false
  }
}

/// Over HTTP/1.1 whatever comes is the answer to the last request: nothing may come before it is asked for.
final class Connection {
  /// The kernel gives one local port to connections to different addresses (ip(7), IP_BIND_ADDRESS_NO_PORT).
  struct Ends: Hashable {
    let localPort: Int
    let address: IPAddress
    let port: Int
  }

  /// While idle, libcurl waits for nothing. Once there is something to read all the same, it is not watched.
  fileprivate enum Use { case reading, idle }

  fileprivate var use: Use?
  private let descriptor: Int32
  /// Bytes of earlier answers.
  private var before = 0
  /// Nil before its first request.
  fileprivate private(set) var endsInUse: Ends?
  private var isHTTP2 = false
  /// Whether an answer is to come. libcurl does not wait for one while its transfer has to pause.
  private var isAwaited = false

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Bytes of this answer that were read; 0 if the kernel does not say (before Linux 4.1).
  var bytesRead: Int { max(0, Int(socket_bytes_read(descriptor)) - before) }

  /// What is read from here on is another answer's.
  func complete(countsBytes: Bool) {
    isAwaited = false
    if countsBytes { before += bytesRead }
  }

  /// Called before each request. If something has come that nobody asked for, ends the connection, and
  /// libcurl takes a new one. libcurl 7.88.1 (SurplusTests) would take that for the answer.
  /// - Parameters:
  ///   - isHTTP2: whether frames may come at any time.
  ///   - isPending: whether OpenSSL has something to read.
  func begin(between ends: Ends, isHTTP2: Bool, isPending: Bool) {
    if endsInUse != nil, !isHTTP2, isPending || isReadable { end() }
    endsInUse = ends
    isAwaited = true
    self.isHTTP2 = isHTTP2
  }

  fileprivate func endIdle() {
    // By now its descriptor may be that of another file, of any kind.
    if let endsInUse, !isAwaited, !isHTTP2, ends == endsInUse { end() }
  }

  private var isReadable: Bool {
    var byte: UInt8 = 0
    return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || errno != EAGAIN
  }

  /// Throws away what is there, which libcurl would read; the kernel answers the rest with a reset (tcp(7)).
  private func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
    while recv(descriptor, nil, Int(Int32.max), Int32(MSG_TRUNC | MSG_DONTWAIT)) > 0 {}
  }

  fileprivate var ends: Ends? {
    var remote = sockaddr_in6()
    let localPort = Int(unsafe socket_ends(descriptor, &remote))
    let address = unsafe withUnsafePointer(to: &remote) { remote in
      unsafe remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe IPAddress($0) }
    }
    guard localPort >= 0, let address else { return nil }
    return Ends(localPort: localPort, address: address, port: Int(in_port_t(bigEndian: remote.sin6_port)))
  }
}
