internal import NIOCore
internal import Supporting

package struct Endpoint: Equatable, Sendable, CustomStringConvertible {
  /// IPv4 or IPv6, without brackets. Not a name, which might mean another address tomorrow.
  package let address: String
  /// From 0 to 65535. 0 means any free port.
  package let port: Int

  /// Whether only this machine can connect to it.
  package var isLoopback: Bool { IPAddress(address)?.isLoopback == true }
  package var description: String { "\(address.bracketingIPv6):\(port)" }
}

extension Endpoint {
  /// Parses `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`, which means 127.0.0.1.
  package init(_ text: String) throws(ServingError) {
    let (host, isBracketed, digits) = text[...].hostAndPort
    let address = host == "localhost" ? "127.0.0.1" : String(host)
    guard let digits, digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits), port <= 65_535,
      let socket = try? SocketAddress(ipAddress: address, port: port),
      isBracketed == (socket.protocol == .inet6)
    else { throw .endpointInvalid(text) }
    self.init(address: address, port: port)
  }
}
