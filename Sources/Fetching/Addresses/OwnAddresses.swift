internal import Glibc
internal import Supporting
internal import Synchronization

/// The addresses of this machine. No firewall protects them from this process.
package final class OwnAddresses: Sendable {
  package static let system = OwnAddresses { read() }
  static let age = Duration.seconds(1)

  private let state = Mutex((addresses: Set<IPAddress>(), end: ContinuousClock.Instant?.none))
  private let read: @Sendable () -> Set<IPAddress>?

  /// - Parameter read: returns the current addresses. If it returns nil, the previous ones count.
  init(read: @escaping @Sendable () -> Set<IPAddress>?) { self.read = read }

  func contains(_ address: IPAddress, at now: ContinuousClock.Instant = .now) -> Bool {
    state.withLock { state in
      if state.end.map({ $0 <= now }) ?? true { state = (read() ?? state.addresses, now + Self.age) }
      return state.addresses.contains(address)
    }
  }

  /// Does not use `getifaddrs(3)`, because the sandbox allows no netlink socket.
  private static func read() -> Set<IPAddress>? {
    guard let v4 = readV4(), let v6 = readV6() else { return nil }
    return Set(v4 + v6)
  }

  private static func readV4() -> [IPAddress]? {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    // 40 KB, but only the filled part is touched.
    return unsafe withUnsafeTemporaryAllocation(of: ifreq.self, capacity: 1_024) { buffer in
      var list = unsafe ifconf()
      unsafe list.ifc_len = Int32(buffer.count * MemoryLayout<ifreq>.stride)
      unsafe list.ifc_ifcu.ifcu_req = buffer.baseAddress
      guard unsafe ioctl(socket, UInt(SIOCGIFCONF), &list) == 0 else { return nil }
      return unsafe (0..<Int(list.ifc_len) / MemoryLayout<ifreq>.stride).compactMap {
        unsafe withUnsafePointer(to: buffer[$0].ifr_ifru.ifru_addr) { unsafe IPAddress($0) }
      }
    }
  }

  /// Reads lines that begin with 32 hex digits (proc_net(5)). Without IPv6, the file is missing or
  /// unreadable.
  private static func readV6() -> [IPAddress]? {
    guard let list = FileBytes.read(path: "/proc/net/if_inet6", maximum: 1_048_576) else {
      return [ENOENT, EACCES].contains(errno) ? [] : nil
    }
    return list.split(separator: UInt8(ascii: "\n")).compactMap { line in
      UInt128(String(decoding: line.prefix(32), as: UTF8.self), radix: 16)
        .map { IPAddress(family: .v6, value: $0) }
    }
  }
}
