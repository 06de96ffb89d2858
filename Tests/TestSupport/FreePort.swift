import NIOCore
import NIOPosix

/// A TCP port of 127.0.0.1 on which nothing listens, for a dead host or for a server that cannot
/// pick a port itself.
package func freePort() async throws -> Int {
  try await freePorts(1)[0]
}

/// Several such ports, all different. Another process may take one before it is used.
package func freePorts(_ count: Int) async throws -> [Int] {
  var listeners: [any Channel] = []
  for _ in 0..<count {
    listeners.append(
      try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0)
        .get())
  }
  let ports = listeners.map { $0.localAddress?.port ?? 0 }
  // All of them stay bound until the last one is known, which makes them different.
  for listener in listeners { try await listener.close().get() }
  return ports
}
