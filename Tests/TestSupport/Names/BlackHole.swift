import CLinux
import Glibc

/// A port that neither accepts nor refuses connections. Nothing accepts them and its backlog is
/// full, so Linux drops new ones.
package struct BlackHole {
  package struct Failure: Error { let code: Int32 }

  private let listener: Int32
  private let guest: Int32

  /// - Parameter accepts: whether Linux accepts connections all the same, which then stay silent.
  package init(_ host: String, port: Int, accepts: Bool = false) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    unsafe inet_pton(AF_INET, host, &address.sin_addr)
    let stream = Int32(SOCK_STREAM.rawValue)
    listener = socket(AF_INET, stream | Int32(SOCK_CLOEXEC.rawValue), 0)
    guest = socket(AF_INET, stream | Int32(SOCK_CLOEXEC.rawValue), 0)
    let isThere = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe bind(listener, address, length) == 0 && listen(listener, accepts ? 64 : 0) == 0
          && connect(guest, address, length) == 0
      }
    }
    guard isThere else {
      let code = errno
      close()
      throw Failure(code: code)
    }
  }

  package func close() { for socket in [guest, listener] { Glibc.close(socket) } }
}
