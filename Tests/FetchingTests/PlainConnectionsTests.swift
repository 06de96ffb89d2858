import Glibc
import Supporting
import Testing

@testable import Fetching

/// How much was read from which connection.
@Suite("Connections without TLS")
struct PlainConnectionsTests {
  /// A TCP socket of 127.0.0.1 or another address of the loopback network. Closes itself.
  private final class Socket {
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

  @Test("are told apart by the address that they lead to, where both their ports are the same")
  func samePorts() throws {
    let hosts: [UInt32] = [0x7f00_0001, 0x7f00_0002]
    let first = try Socket(bindingTo: hosts[0], port: 0)
    let port = try first.port
    let listeners = [first, try Socket(bindingTo: hosts[1], port: port)]
    for listener in listeners { try #require(listen(listener.descriptor, 1) == 0) }
    let connections = PlainConnections()
    var clients: [Socket] = []
    for host in hosts {
      let client = try Socket(bindingTo: hosts[0], port: clients.first?.port ?? 0)
      try client.connect(to: host, port: port)
      connections.add(client.descriptor)
      clients.append(client)
    }
    // Only the second one says anything.
    let server = try Socket(accept(listeners[1].descriptor, nil, nil))
    #expect(unsafe write(server.descriptor, "abc", 3) == 3)
    var piece: [UInt8] = [0, 0, 0]
    #expect(unsafe recv(clients[1].descriptor, &piece, 3, Int32(MSG_WAITALL)) == 3)
    let localPort = try clients[0].port
    let read = hosts.map { host in
      connections.find(
        PlainConnection.Ends(
          localPort: localPort, address: IPAddress(family: .v4, value: UInt128(host)), port: port))?
        .bytesRead
    }
    #expect(read == [0, 3])
  }
}
