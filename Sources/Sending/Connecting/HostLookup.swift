internal import Dispatch
internal import Glibc
internal import Supporting

/// An address and port, in the form that connect(2) takes.
struct SocketAddress: Sendable, Equatable {
  let family: Int32
  let bytes: [UInt8]

  /// The address without the port.
  var text: String {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe bytes.baseAddress.flatMap { unsafe IPAddress($0.assumingMemoryBound(to: sockaddr.self)) }
        .map { "\($0)" } ?? "?"
    }
  }

  /// Starts connecting a new non-blocking socket. Returns an `errno` if that fails at once.
  func beginConnecting() -> Result<Int32, ConnectError> {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(kind), 0)
    guard descriptor >= 0 else { return .failure(ConnectError(code: errno)) }
    var on: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let status = unsafe bytes.withUnsafeBytes { bytes in
      unsafe connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard status == 0 || errno == EINPROGRESS else {
      let code = errno
      close(descriptor)
      return .failure(ConnectError(code: code))
    }
    return .success(descriptor)
  }
}

struct ConnectError: Error {
  /// An errno(3).
  let code: Int32
}

/// Looks up host names with the C library. A lookup cannot be interrupted, so each has its own thread.
enum HostLookup {
  /// APNs' names have 8 to 10 addresses.
  private static let maximum = 16

  /// - Parameter answer: called once, on another thread, with the addresses or the reason for a failure.
  static func begin(_ target: PushTarget, _ answer: @escaping @Sendable (Addresses) -> Void) {
    DispatchQueue(label: "push-enricher.lookup").async { answer(target.lookUp(target.host, target.port)) }
  }

  enum Addresses: Sendable {
    case found([SocketAddress])
    case failed(String)

    /// Moves the first `count` addresses to the end.
    func rotated(by count: Int) -> Self {
      guard case .found(let addresses) = self, !addresses.isEmpty else { return self }
      let start = count % addresses.count
      return .found(Array(addresses[start...] + addresses[..<start]))
    }
  }

  @Sendable static func look(up host: String, port: Int) -> Addresses {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // A machine without an IPv6 address of its own cannot reach one. If the operator has written an address,
    // use it anyway.
    unsafe hints.ai_flags = IPAddress(host) == nil ? AI_NUMERICSERV | AI_ADDRCONFIG : AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      return .failed(code == EAI_SYSTEM ? String(errno: errno) : unsafe String(cString: gai_strerror(code)))
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next, addresses.count < maximum {
      let bytes = unsafe UnsafeRawBufferPointer(
        start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
      addresses.append(SocketAddress(family: unsafe entry.pointee.ai_family, bytes: unsafe Array(bytes)))
      unsafe next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failed("it has no address") : .found(addresses)
  }
}
