import CLinux
import Glibc

/// A port that neither accepts nor refuses connections. Nothing accepts them and its backlog is
/// full, so Linux drops new ones.
struct BlackHole {
  struct Failure: Error { let code: Int32 }

  private let listener: Int32
  private let guest: Int32

  init(_ host: String, port: Int) throws {
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
        return unsafe bind(listener, address, length) == 0 && listen(listener, 0) == 0
          && connect(guest, address, length) == 0
      }
    }
    guard isThere else {
      let code = errno
      close()
      throw Failure(code: code)
    }
  }

  func close() { for socket in [guest, listener] { Glibc.close(socket) } }
}
