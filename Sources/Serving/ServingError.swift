/// Why nothing is served.
package enum ServingError: Error, Equatable, CustomStringConvertible {
  /// The text names no place to listen at.
  case endpointInvalid(String)
  /// Another program listens there, perhaps not for long any more.
  case endpointTaken(Endpoint)
  case cannotListen(Endpoint, detail: String)

  package var description: String {
    switch self {
    case .endpointInvalid(let text):
      "'\(text)' is no address and port: write one like 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080"
    case .endpointTaken(let endpoint):
      "\(endpoint) is taken by another program: end that, or name another port"
    case .cannotListen(let endpoint, let detail):
      "nobody can listen at \(endpoint) (\(detail)): name an address of this machine, and a port from 1024 on"
    }
  }
}
