internal import Glibc
internal import Supporting

/// The addresses of this machine without `getifaddrs(3)`, which asks over a netlink socket: the sandbox has
/// none.
extension OwnAddresses {
  /// - Returns: nil if they cannot be known, as without a free descriptor.
  static func read() -> Set<IPAddress>? {
    guard let v4 = readV4(), let v6 = readV6() else { return nil }
    return v4.union(v6)
  }

  /// Interfaces that SIOCGIFCONF lists at most: 40 KB.
  private static let maximumInterfaces = 1_024

  private static func readV4() -> Set<IPAddress>? {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    var room = 16
    // A list that fills its room may have been cut.
    while let addresses = readV4(from: socket, room: room) {
      if addresses.count < room || room >= maximumInterfaces { return Set(addresses) }
      room *= 4
    }
    return nil
  }

  private static func readV4(from socket: Int32, room: Int) -> [IPAddress]? {
    unsafe withUnsafeTemporaryAllocation(of: ifreq.self, capacity: room) { buffer in
      var list = unsafe ifconf()
      unsafe list.ifc_len = Int32(room * MemoryLayout<ifreq>.stride)
      unsafe list.ifc_ifcu.ifcu_req = buffer.baseAddress
      guard unsafe ioctl(socket, UInt(SIOCGIFCONF), &list) == 0 else { return nil }
      return unsafe (0..<Int(list.ifc_len) / MemoryLayout<ifreq>.stride).compactMap {
        unsafe withUnsafePointer(to: buffer[$0].ifr_ifru.ifru_addr) { unsafe IPAddress($0) }
      }
    }
  }

  /// From a list whose lines begin with the 32 digits of an address (proc_net(5)). Without IPv6 there is no
  /// such file, and in some containers nobody may read it.
  private static func readV6() -> Set<IPAddress>? {
    guard let list = FileBytes.read(path: "/proc/net/if_inet6", maximum: 1_048_576) else {
      return [ENOENT, EACCES].contains(errno) ? [] : nil
    }
    let values = list.split(separator: UInt8(ascii: "\n")).compactMap {
      UInt128(String(decoding: $0.prefix(32), as: UTF8.self), radix: 16)
    }
    return Set(values.map { IPAddress(family: .v6, value: $0) })
  }
}
