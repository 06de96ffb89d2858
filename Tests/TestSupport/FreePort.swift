import Glibc
import Synchronization

/// A TCP port of 127.0.0.1 on which nothing listens, for a dead host or for a server that cannot
/// pick a port itself.
package func freePort() -> Int {
  while true {
    let port = least + Int(next.add(1, ordering: .relaxed).newValue % count)
    if isFree(port) { return port }
  }
}

/// Several such ports, all different. Another process may take one before it is used.
package func freePorts(_ count: Int) -> [Int] { (0..<count).map { _ in freePort() } }

/// The ports below those of outgoing connections (`ip_local_port_range`, ip(7)), one of which might take a
/// port before its server starts, or while that is away.
private let least = 10_000
private let count: UInt = 22_000

/// No port is given out twice, and two processes seldom give out the same one.
private let next = Atomic(UInt.random(in: 0..<count))

private func isFree(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
  let length = socklen_t(MemoryLayout.size(ofValue: address))
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(descriptor, $0, length) == 0
    }
  }
}
