import CLinux
import Glibc
import Testing

/// A TCP socket on 127.0.0.1 or another loopback address. Closes itself.
final class LoopbackSocket {
  let descriptor: Int32

  init(_ descriptor: Int32) throws {
    try #require(descriptor >= 0)
    self.descriptor = descriptor
  }

  /// - Parameter port: 0 for any.
  init(bindingTo host: UInt32, port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var isShared: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
    try unsafe withAddress(host, port) { try #require(unsafe bind(descriptor, $0, $1) == 0) }
  }

  deinit { close(descriptor) }

  func connect(to host: UInt32, port: Int) throws {
    try unsafe withAddress(host, port) { try #require(unsafe Glibc.connect(descriptor, $0, $1) == 0) }
  }

  var port: Int {
    get throws {
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try unsafe withUnsafeMutablePointer(to: &address) { pointer in
        try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          try #require(unsafe getsockname(descriptor, $0, &size) == 0)
        }
      }
      return Int(in_port_t(bigEndian: address.sin_port))
    }
  }

  private func withAddress(
    _ host: UInt32, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
  ) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: host.bigEndian)
    address.sin_port = in_port_t(port).bigEndian
    try unsafe withUnsafePointer(to: &address) { pointer in
      try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// Calls `body` with the two ends of a connection over TCP, and closes them.
func withConnection(_ body: (_ one: Int32, _ other: Int32) throws -> Void) throws {
  let host: UInt32 = 0x7f00_0001
  let listener = try LoopbackSocket(bindingTo: host, port: 0)
  try #require(listen(listener.descriptor, 1) == 0)
  let client = try LoopbackSocket(bindingTo: host, port: 0)
  try client.connect(to: host, port: listener.port)
  let server = try LoopbackSocket(accept(listener.descriptor, nil, nil))
  try body(client.descriptor, server.descriptor)
}
