internal import Glibc
package import Serving
internal import Supporting

/// Asks a worker's status pages whether the worker is alive. Takes little memory, because it shares
/// the worker's limit.
package struct HealthQuestion {
  /// How long connecting may take, and then the whole answer, in seconds.
  private static let patience = 3
  /// How many bytes of an answer are accepted. A worker's answer has about 400.
  private static let maximumAnswer = 4_096

  private let endpoint: Endpoint

  package init(endpoint: Endpoint) { self.endpoint = endpoint }

  /// Throws the reason unless a push-enricher answers that it is alive. Never quotes the answer.
  package func ask() throws(ProbeError) {
    let connection = try connect()
    defer { close(connection) }
    let request = "GET \(StatusPages.health) HTTP/1.1\r\nHost: \(endpoint)\r\nConnection: close\r\n\r\n"
    guard FileBytes.write(Array(request.utf8), to: connection), let answer = receive(connection) else {
      throw ProbeError(description: "the worker at \(endpoint) does not answer")
    }
    let end = answer.firstRange(of: Array("\r\n\r\n".utf8))
    // Splits bytes, not characters, because a stranger may put anything after a line break.
    let lines = answer[..<(end?.lowerBound ?? answer.count)].split(separator: UInt8(ascii: "\n"))
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    guard lines.dropFirst().contains(where: { $0.elementsEqual("Server: \(Server.name)".utf8) }) else {
      throw ProbeError(
        description:
          "\(endpoint) does not answer as push-enricher does: is it the address of another program?"
      )
    }
    guard lines.first?.starts(with: "HTTP/1.1 200 ".utf8) == true, let end,
      answer[end.upperBound...].elementsEqual("\(StatusPages.healthy)\n".utf8)
    else { throw ProbeError(description: "the push-enricher at \(endpoint) does not say that it is healthy") }
  }

  /// All bytes until the connection is closed. Nil if there are none, too many, or it takes too
  /// long.
  private func receive(_ connection: Int32) -> [UInt8]? {
    let end = ContinuousClock.now + .seconds(Self.patience)
    var answer: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: Self.maximumAnswer + 1)
    while answer.count <= Self.maximumAnswer {
      var interest = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero, unsafe poll(&interest, 1, Int32(rest.milliseconds) + 1) == 1 else { return nil }
      let count = unsafe read(connection, &piece, piece.count)
      guard count > 0 else { return count < 0 || answer.isEmpty ? nil : answer }
      answer += piece.prefix(count)
    }
    return nil
  }

  /// Connecting to 0.0.0.0 or [::], which mean all addresses of a machine, reaches this machine.
  private func connect() throws(ProbeError) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(endpoint.address, "\(endpoint.port)", &hints, &found) == 0,
      let address = unsafe found?.pointee
    else { throw ProbeError(description: "cannot connect to \(endpoint)") }
    defer { unsafe freeaddrinfo(found) }
    let connection = unsafe socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    var timeout = timeval(tv_sec: Self.patience, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard connection >= 0, unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &timeout, size) == 0,
      unsafe Glibc.connect(connection, address.ai_addr, address.ai_addrlen) == 0
    else {
      let error = String(errno: errno)
      close(connection)
      throw ProbeError(
        description: "no worker answers at \(endpoint) (\(error)): check that work runs with this --status")
    }
    return connection
  }
}

/// Why a worker does not count as alive, in one sentence.
package struct ProbeError: Error, CustomStringConvertible { package let description: String }
