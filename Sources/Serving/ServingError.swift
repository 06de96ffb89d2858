/// Why a server could not start.
package enum ServingError: Error, Equatable, CustomStringConvertible {
  /// The text is not an address and a port.
  case endpointInvalid(String)
  /// Another program listens there. It may be about to end.
  case endpointTaken(Endpoint)
  case cannotListen(Endpoint, detail: String)
  /// The certificate or its key cannot be used.
  case certificateUnusable(String)

  package var description: String {
    switch self {
    case .endpointInvalid(let text):
      "'\(text)' is not an address and port: write one like 127.0.0.1:8080, 0.0.0.0:8080 or [::]:8080"
    case .endpointTaken(let endpoint):
      "\(endpoint) is taken by another program: stop it, or use another port"
    case .cannotListen(let endpoint, let detail):
      "cannot listen at \(endpoint) (\(detail)): use an address of this machine, and a port from 1024 up"
    case .certificateUnusable(let detail): detail
    }
  }
}
