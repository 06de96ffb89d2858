internal import Glibc
internal import Serving
internal import Supporting

/// One request to a worker's status pages. No more of HTTP than that takes, and little memory: it runs beside the worker, inside the
/// same limit.
struct StatusQuestion {
  /// For each of connecting, asking and every piece of the answer.
  private static let patience = timeval(tv_sec: 3, tv_usec: 0)
  private static let maximumAnswer = 4_096

  let endpoint: Endpoint
  let path: String

  /// - Returns: the body, without the line break at its end.
  /// - Throws: `OptionError` with why there is no answer of status 200.
  func ask() throws(OptionError) -> String {
    let answer = try exchange()
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
    let body = parts.count == 2 ? parts[1].split(separator: "\n").first.map { String($0) } ?? "" : ""
    guard answer.hasPrefix("HTTP/1.1 200 ") else {
      throw OptionError(
        "\(endpoint) does not answer as push-enricher does: is it the address of another program?")
    }
    return body
  }

  private func exchange() throws(OptionError) -> String {
    let connection = try connect()
    defer { close(connection) }
    let request = "GET \(path) HTTP/1.1\r\nHost: \(endpoint)\r\nConnection: close\r\n\r\n"
    guard Console.write(Array(request.utf8), to: connection),
      let answer = Console.read(connection, maximum: Self.maximumAnswer), !answer.isEmpty
    else { throw OptionError("the worker at \(endpoint) does not answer") }
    return String(decoding: answer, as: UTF8.self)
  }

  /// An address that means all of a machine's is one of this machine's to the kernel.
  private func connect() throws(OptionError) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(endpoint.address, "\(endpoint.port)", &hints, &found) == 0,
      let address = unsafe found?.pointee
    else { throw OptionError("\(endpoint) cannot be connected to") }
    defer { unsafe freeaddrinfo(found) }
    let connection = unsafe socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    var patience = Self.patience
    let size = socklen_t(MemoryLayout<timeval>.size)
    guard connection >= 0,
      unsafe setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, size) == 0,
      unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, size) == 0,
      unsafe Glibc.connect(connection, address.ai_addr, address.ai_addrlen) == 0
    else {
      let error = String(errno: errno)
      close(connection)
      throw OptionError("no worker answers at \(endpoint) (\(error)): see that work runs with this --status")
    }
    return connection
  }
}
