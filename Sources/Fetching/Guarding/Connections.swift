internal import CLinux
internal import Glibc
package import Supporting

/// Tracks libcurl's sockets among those that the loop waits for. Idle sockets stay in `epoll`, and
/// any data ends them. Removing and adding them again would cost two system calls per transfer.
package final class Connections {
  private let watch: SocketWatch
  /// Connections by descriptor. Some may already be closed.
  private var connections: [Int32: Connection] = [:]
  /// Connections that have had a request. Of several with the same ends, the last one is open.
  private var used: [Connection.Ends: Connection] = [:]
  private(set) var openedCount = 0
  /// Connections since the last call of `takeFailures`.
  private var new: [Connection] = []
  private var hasFailedToOpen = false

  package init(_ watch: SocketWatch) { self.watch = watch }

  /// Adds a socket opened for libcurl. An earlier one with its number is closed and not watched.
  @discardableResult
  package func add(_ descriptor: Int32) -> Connection {
    let connection = Connection(descriptor)
    connections[descriptor] = connection
    new.append(connection)
    openedCount += 1
    if used.count > 4 * connections.count { used = [:] }
    return connection
  }

  /// Notes that a socket for libcurl could not be opened.
  package func failToOpen() { hasFailedToOpen = true }

  /// Whether a socket could not be opened, or libcurl does not wait for it because it could not
  /// even begin to connect. Each failure counts once.
  func takeFailures() -> Bool {
    defer { (new, hasFailedToOpen) = ([], false) }
    return hasFailedToOpen || new.contains { !$0.wasWaitedFor }
  }

  /// - Parameter opened: sockets of the same transfer. libcurl does not say which one it uses.
  package func find(_ ends: Connection.Ends, among opened: [Connection] = []) -> Connection? {
    let found =
      opened.first { $0.ends == ends } ?? used[ends]
      ?? connections.values.first { ($0.endsInUse ?? $0.ends) == ends }
    used[ends] = found
    return found
  }

  func wait(for descriptor: Int32, reads: Bool, writes: Bool) {
    let connection = connections[descriptor]
    connection?.wasWaitedFor = true
    switch (reads, writes) {
    case (true, false) where connection?.use == .idle: connection?.use = .reading
    case (false, false) where connection?.use == .reading: connection?.use = .idle
    default:
      let isWatched = watch.watch(descriptor, reads: reads, writes: writes)
      connection?.use = isWatched && reads && !writes ? .reading : nil
    }
  }

  /// Returns whether libcurl waits for events on the socket. If not, stops watching it, and ends
  /// its connection unless data may still arrive.
  package func acknowledge(_ descriptor: Int32) -> Bool {
    guard let connection = connections[descriptor], connection.use == .idle else { return true }
    connection.use = nil
    watch.watch(descriptor, reads: false, writes: false)
    connection.endIdle()
    return false
  }
}

/// A connection of libcurl, which takes any data over HTTP/1.1 as the response to its last request.
/// So no data may arrive before a request is sent.
package final class Connection {
  /// Identifies a connection. The local port alone is not enough: the kernel uses one for
  /// connections to different addresses (ip(7), IP_BIND_ADDRESS_NO_PORT).
  package struct Ends: Hashable {
    let localPort: Int
    let address: IPAddress
    let port: Int
  }

  /// `idle`: libcurl waits for nothing, but the socket is watched until it becomes readable.
  fileprivate enum Use { case reading, idle }

  fileprivate var use: Use?
  fileprivate var wasWaitedFor = false
  private let descriptor: Int32
  /// Bytes of earlier responses.
  private var before = 0
  /// Nil before the first request.
  fileprivate private(set) var endsInUse: Ends?
  private var isHTTP2 = false
  /// Whether a response is still expected. libcurl does not wait for one during a pause.
  private var isAwaited = false

  fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Bytes read of this response; 0 if the kernel does not report them (before Linux 4.1).
  var bytesRead: Int { max(0, Int(socket_bytes_read(descriptor)) - before) }

  /// Completes the response. Bytes read from here on belong to the next one.
  /// - Parameter bytes: of the response with its framing; nil to ask the kernel, at the cost of two system calls.
  package func complete(bytes: Int?) {
    isAwaited = false
    before += bytes ?? bytesRead
  }

  /// Called before each request. Ends the connection if data has arrived unrequested, and libcurl
  /// opens another. libcurl 7.88.1 (SurplusTests) would take the data for the response.
  /// - Parameters:
  ///   - isHTTP2: whether frames may arrive at any time.
  ///   - isPending: whether OpenSSL holds unread data.
  package func begin(between ends: Ends, isHTTP2: Bool, isPending: Bool) {
    if endsInUse != nil, !isHTTP2, isPending || isReadable { end() }
    endsInUse = ends
    isAwaited = true
    self.isHTTP2 = isHTTP2
  }

  fileprivate func endIdle() {
    // The descriptor may already belong to another file, of any kind.
    if let endsInUse, !isAwaited, !isHTTP2, ends == endsInUse { end() }
  }

  private var isReadable: Bool {
    var byte: UInt8 = 0
    return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0 || errno != EAGAIN
  }

  /// Discards what libcurl would read. The kernel answers anything more with a reset (tcp(7)).
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
