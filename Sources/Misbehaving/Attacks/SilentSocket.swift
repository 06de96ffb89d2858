internal import Glibc

/// A UDP port of 127.0.0.1 that takes what comes, and says nothing.
final class SilentSocket: Sendable {
  private let descriptor: Int32
  let port: Int

  /// - Throws: `MisbehavingError.noSocket`.
  init() throws(MisbehavingError) {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .noSocket(code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound else {
      let code = errno
      close(descriptor)
      throw .noSocket(code: code)
    }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }

  /// Keeps the port until then.
  func waitForCancellation() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
  }
}
