internal import Glibc
package import NIOCore

/// An accepted connection, with the few operations that every behaviour is made of.
package struct Connection: Sendable {
  package let channel: any Channel
  /// Called with the number of bytes that went out.
  let sent: @Sendable (Int) -> Void

  package init(channel: any Channel, sent: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.channel = channel
    self.sent = sent
  }

  /// Returns once the kernel has taken the bytes, so that nothing queues up for a slow client.
  /// - Throws: an error from NIO if the client has closed the connection.
  package func send(_ buffer: ByteBuffer) async throws {
    try await channel.writeAndFlush(buffer).get()
    sent(buffer.readableBytes)
  }

  package func send(_ bytes: [UInt8]) async throws { try await send(ByteBuffer(bytes: bytes)) }
  package func send(_ text: String) async throws { try await send(ByteBuffer(string: text)) }

  /// Sends `unit` over and over, about 64 KB at a time. Stops after 600 MB if the client does not.
  func flood(_ unit: [UInt8]) async throws {
    let flood = ByteBuffer(bytes: Array(repeating: unit, count: 65_536 / unit.count).joined())
    for _ in 0..<(600_000_000 / flood.readableBytes) where !Task.isCancelled { try await send(flood) }
  }

  /// Sends nothing until the client gives up or the server is stopped.
  package func waitForClose() async { _ = try? await channel.closeFuture.get() }
  package func close() async throws { try await channel.close().get() }

  /// Closes the connection. Over TLS, the client is not told that this is the end.
  package func closeAbruptly() async throws {
    // Without TLS, no handler knows this event.
    try? await channel.triggerUserOutboundEvent(TLSHandler.Abruptly.ends).get()
    try await close()
  }

  package func reset() async throws {
    // A linger time of zero makes close(2) send RST and drop unsent data: socket(7).
    try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try await closeAbruptly()
  }

  /// Resets after the client had time to read. A reset makes it lose what it has not read yet.
  func resetLater() async throws {
    try await Task.sleep(for: .milliseconds(50))
    try await reset()
  }
}
