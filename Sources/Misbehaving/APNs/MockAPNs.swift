internal import CLinux
internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// A server that acts like APNs, faults included, on a thread of its own. `withMockAPNs` makes one.
package final class MockAPNs: Sendable {
  package let behaviour: APNsBehaviour
  /// Pushes need a token that is signed with this key.
  package let key: APNsKey
  package let host: String
  package let port: Int
  private let scheme: String
  /// Called with each push that is accepted, in their order, on the mock's thread.
  private let deliver: (@Sendable (AcceptedPush) -> Void)?
  private let state = Mutex(APNsLedger())
  private let queue = DispatchQueue(label: "mock-apns")
  /// An `eventfd(2)`.
  private let stopping: Int32

  package var ledger: APNsLedger { state.withLock { $0 } }
  /// Does not copy the ledger.
  package var accepted: Int { state.withLock { $0.accepted } }
  package var url: String { "\(scheme)://\(host):\(port)" }

  /// The target for `--to`.
  package func target(key file: String) -> String {
    "apns://\(host):\(port)?key=\(file)&key-id=\(key.id)&team-id=\(key.team)"
  }

  /// Starts a mock, which serves until `stop`.
  /// - Parameters:
  ///   - host: an IPv4 address, not a name.
  ///   - port: 0 for any free port.
  ///   - tls: nil for HTTP/2 without TLS and without an upgrade.
  package init(
    _ behaviour: APNsBehaviour, key: APNsKey, on host: String = "127.0.0.1", port: Int = 0,
    tls: TLSServerContext?, deliveringWith deliver: (@Sendable (AcceptedPush) -> Void)? = nil
  ) throws(MisbehavingError) {
    guard let address = IPv4Listener(host: host, port: port) else {
      throw .unbound(address: "\(host):\(port)", code: errno)
    }
    (self.behaviour, self.key, self.host, self.port) = (behaviour, key, host, address.port)
    self.deliver = deliver
    scheme = tls == nil ? "http" : "https"
    stopping = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let listener = address.descriptor
    queue.async { [self, stopping] in
      APNsLoop(self, listener: listener, stop: stopping, epoll: epoll, tls: tls).run()
    }
  }

  deinit { close(stopping) }

  /// Closes every connection, and returns once the thread has ended.
  package func stop() async {
    _ = eventfd_write(stopping, 1)
    await withCheckedContinuation { ended in queue.async { ended.resume() } }
  }

  func accept(_ request: APNsRequest) {
    deliver?(
      AcceptedPush(
        device: request.device, id: request.id, collapseID: request.collapseID, body: request.body))
  }

  func record(_ change: (inout APNsLedger) -> Void) { state.withLock { change(&$0) } }
}

/// A push that APNs would now deliver to its device.
package struct AcceptedPush: Sendable {
  package let device: String
  package let id: String
  /// Empty if it has none.
  package let collapseID: String
  package let body: [UInt8]
}

/// Runs `body` with a mock of APNs on a free port, then stops it.
/// - Throws: the errors of `body`, or `MisbehavingError` if the mock cannot start.
package func withMockAPNs<Result: Sendable>(
  _ behaviour: APNsBehaviour = .healthy, tls: TLSServerContext?,
  deliveringWith deliver: (@Sendable (AcceptedPush) -> Void)? = nil, _ body: (MockAPNs) async throws -> Result
) async throws -> Result {
  let mock = try MockAPNs(behaviour, key: APNsKey(), tls: tls, deliveringWith: deliver)
  do {
    let result = try await body(mock)
    await mock.stop()
    return result
  } catch {
    await mock.stop()
    throw error
  }
}

/// A socket that listens.
private struct IPv4Listener {
  let descriptor: Int32
  let port: Int

  /// - Returns: nil with `errno`, for example if the port is taken.
  init?(host: String, port: Int) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      errno = EINVAL
      return nil
    }
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let listener = socket(AF_INET, Int32(kind), 0)
    var one: Int32 = 1
    _ = unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    var count = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = unsafe withUnsafeMutableBytes(of: &address) { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return unsafe bind(listener, start, count) == 0 && listen(listener, 128) == 0
        && getsockname(listener, start, &count) == 0
    }
    guard isListening else {
      let code = errno
      close(listener)
      errno = code
      return nil
    }
    descriptor = listener
    self.port = Int(in_port_t(bigEndian: address.sin_port))
  }
}
