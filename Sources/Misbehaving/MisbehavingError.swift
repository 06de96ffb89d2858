internal import Supporting

/// Why there is no server to misbehave. What NIO says of sockets is passed on as it is.
package enum MisbehavingError: Error, Equatable, CustomStringConvertible {
  /// OpenSSL gave none.
  case noCertificate
  case noTLS
  /// The kernel gave none.
  case noSocket(code: Int32)
  /// What is to be served, or written, at `path`.
  case unreadable(path: String, code: Int32)
  case unwritable(path: String, code: Int32)

  package var description: String {
    switch self {
    case .noCertificate: "OpenSSL made no certificate for 127.0.0.1: look at /etc/ssl/openssl.cnf"
    case .noTLS: "OpenSSL made no server of TLS: look at /etc/ssl/openssl.cnf"
    case .noSocket(let code): "there is no port of 127.0.0.1: \(String(errno: code))"
    case .unreadable(let path, let code):
      "\(path) cannot be read: \(String(errno: code))"
    case .unwritable(let path, let code):
      "\(path) cannot be written: \(String(errno: code))"
    }
  }
}
