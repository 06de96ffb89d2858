internal import Glibc
internal import NIOCore

/// One accepted connection: the few things that every behaviour is made of.
package struct Connection: Sendable {
  let channel: any Channel
  /// Told how many bytes went out.
  let sent: @Sendable (Int) -> Void

  /// Returns once the kernel has taken the bytes: nothing is queued behind a slow client.
  /// - Throws: an error of NIO's once the client has closed.
  func send(_ buffer: ByteBuffer) async throws {
    try await channel.writeAndFlush(buffer).get()
    sent(buffer.readableBytes)
  }

  func send(_ bytes: [UInt8]) async throws { try await send(ByteBuffer(bytes: bytes)) }
  func send(_ text: String) async throws { try await send(ByteBuffer(string: text)) }

  /// Sends `unit` again and again, some 64 KB at once, up to 600 MB: a client without defences ends, too.
  func flood(_ unit: [UInt8]) async throws {
    let flood = ByteBuffer(bytes: Array(repeating: unit, count: 65_536 / unit.count).joined())
    for _ in 0..<(600_000_000 / flood.readableBytes) where !Task.isCancelled { try await send(flood) }
  }

  /// Says nothing until the client gives up or the server is stopped.
  func waitForClose() async { _ = try? await channel.closeFuture.get() }
  func close() async throws { try await channel.close().get() }

  /// Ends the connection; over TLS, without telling the client that this is the end.
  func closeAbruptly() async throws {
    // Without TLS nobody knows the event.
    try? await channel.triggerUserOutboundEvent(TLSHandler.Abruptly.ends).get()
    try await close()
  }

  func reset() async throws {
    // A linger time of zero makes close(2) send RST and drop what is still unsent: socket(7).
    try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try await closeAbruptly()
  }

  /// Resets once the client had time to read: a reset overtakes what it has not read yet.
  func resetLater() async throws {
    try await Task.sleep(for: .milliseconds(50))
    try await reset()
  }
}
