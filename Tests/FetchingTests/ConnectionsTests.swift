import Glibc
import Supporting
import Testing

@testable import Fetching

/// The number of bytes that were read from each connection.
@Suite("Connections")
struct ConnectionsTests {
  @Test("are distinguished by their remote address if both of their ports are the same")
  func samePorts() throws {
    let hosts: [UInt32] = [0x7f00_0001, 0x7f00_0002]
    let first = try LoopbackSocket(bindingTo: hosts[0], port: 0)
    let port = try first.port
    let listeners = [first, try LoopbackSocket(bindingTo: hosts[1], port: port)]
    for listener in listeners { try #require(listen(listener.descriptor, 1) == 0) }
    let connections = Connections(try SocketWatch())
    var clients: [LoopbackSocket] = []
    for host in hosts {
      let client = try LoopbackSocket(bindingTo: hosts[0], port: clients.first?.port ?? 0)
      try client.connect(to: host, port: port)
      connections.add(client.descriptor)
      clients.append(client)
    }
    // Only the second connection sends anything.
    let server = try LoopbackSocket(accept(listeners[1].descriptor, nil, nil))
    #expect(unsafe write(server.descriptor, "abc", 3) == 3)
    var piece: [UInt8] = [0, 0, 0]
    #expect(unsafe recv(clients[1].descriptor, &piece, 3, Int32(MSG_WAITALL)) == 3)
    let localPort = try clients[0].port
    let read = hosts.map { host in
      connections.find(
        Connection.Ends(
          localPort: localPort, address: IPAddress(family: .v4, value: UInt128(host)), port: port))?
        .bytesRead
    }
    #expect(read == [0, 3])
  }
}
