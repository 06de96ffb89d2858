internal import Supporting

/// Why there is no server to misbehave. NIO's errors about sockets are passed on as they are.
package enum MisbehavingError: Error, Equatable, CustomStringConvertible {
  /// OpenSSL made none.
  case noCertificate, noTLS
  case unwritable(path: String, code: Int32)

  package var description: String {
    switch self {
    case .noCertificate: "OpenSSL made no certificate for 127.0.0.1: look at /etc/ssl/openssl.cnf"
    case .noTLS: "OpenSSL made no server of TLS: look at /etc/ssl/openssl.cnf"
    case .unwritable(let path, let code): "\(path) cannot be written: \(String(errno: code))"
    }
  }
}
