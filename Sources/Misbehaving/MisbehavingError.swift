internal import Supporting

/// Why no server could be started. NIO's errors about sockets are passed on as they are.
package enum MisbehavingError: Error, Equatable, CustomStringConvertible {
  /// OpenSSL could not make a certificate, or could not set up TLS.
  case noCertificate, noTLS
  case unwritable(path: String, code: Int32)
  case unbound(address: String, code: Int32)

  package var description: String {
    switch self {
    case .noCertificate: "OpenSSL could not make a certificate for 127.0.0.1: check /etc/ssl/openssl.cnf"
    case .noTLS: "OpenSSL could not set up a TLS server: check /etc/ssl/openssl.cnf"
    case .unwritable(let path, let code): "\(path) cannot be written: \(String(errno: code))"
    case .unbound(let address, let code): "no server can listen at \(address): \(String(errno: code))"
    }
  }
}
