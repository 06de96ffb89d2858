internal import Glibc
package import Serving
internal import Supporting

/// One request to a worker's status pages. Speaks as little HTTP as that takes and needs little memory,
/// because it runs beside the worker inside the same memory limit.
package struct StatusQuestion {
  /// How long connecting, sending the request and each piece of the response may take.
  private static let timeout = timeval(tv_sec: 3, tv_usec: 0)
  private static let maximumAnswer = 4_096

  private let endpoint: Endpoint
  private let path: String

  package init(endpoint: Endpoint, path: String) {
    self.endpoint = endpoint
    self.path = path
  }

  /// - Returns: the body, without the line break at its end.
  /// - Throws: `ProbeError` with the reason why there is no response with status 200.
  package func ask() throws(ProbeError) -> String {
    let answer = try exchange()
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
    let body = parts.count == 2 ? parts[1].split(separator: "\n").first.map { String($0) } ?? "" : ""
    guard answer.hasPrefix("HTTP/1.1 200 ") else {
      throw ProbeError(
        "\(endpoint) does not answer as push-enricher does: is it the address of another program?")
    }
    return body
  }

  private func exchange() throws(ProbeError) -> String {
    let connection = try connect()
    defer { close(connection) }
    let request = "GET \(path) HTTP/1.1\r\nHost: \(endpoint)\r\nConnection: close\r\n\r\n"
    guard FileBytes.write(Array(request.utf8), to: connection),
      let answer = FileBytes.read(connection, maximum: Self.maximumAnswer), !answer.isEmpty
    else { throw ProbeError("the worker at \(endpoint) does not answer") }
    return String(decoding: answer, as: UTF8.self)
  }

  /// Connecting to 0.0.0.0 or [::], which stand for all addresses of a machine, reaches this machine.
  private func connect() throws(ProbeError) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(endpoint.address, "\(endpoint.port)", &hints, &found) == 0,
      let address = unsafe found?.pointee
    else { throw ProbeError("\(endpoint) cannot be connected to") }
    defer { unsafe freeaddrinfo(found) }
    let connection = unsafe socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    var timeout = Self.timeout
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard connection >= 0,
      unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &timeout, size) == 0,
      unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, size) == 0,
      unsafe Glibc.connect(connection, address.ai_addr, address.ai_addrlen) == 0
    else {
      let error = String(errno: errno)
      close(connection)
      throw ProbeError("no worker answers at \(endpoint) (\(error)): see that work runs with this --status")
    }
    return connection
  }
}
