internal import NIOCore

/// Silence and slowness: only the client ends these connections.
extension Connection {
  /// The headers and the first bytes of a body whose rest never comes.
  func stall(_ response: Response, after bytes: Int) async throws {
    try await send(response.head(framing: try response.framingFields()))
    try await sendBody(of: response, limit: bytes)
    await waitForClose()
  }

  /// A header line whose end never comes.
  func stallHeaderLine(after bytes: Int) async throws {
    try await send("HTTP/1.1 200 \r\nX-Long: \(String(repeating: "a", count: bytes))")
    await waitForClose()
  }

  /// A header line that grows by one byte per interval.
  func dripHeaders(every interval: Duration) async throws {
    try await send("HTTP/1.1 200 \r\nX-Slow: ")
    while !Task.isCancelled {
      try await send("a")
      try await Task.sleep(for: interval)
    }
  }

  /// A body that comes in pieces of so many bytes, one per interval, each in a segment of its own.
  func dripBody(of response: Response, bytes: Int, every interval: Duration) async throws {
    try await send(response.head(framing: try response.framingFields()))
    try await response.body.forEachPiece(of: bytes) { piece in
      if case .chunked = response.framing { try await sendChunk(piece) } else { try await send(piece) }
      try await Task.sleep(for: interval)
    }
    if case .chunked = response.framing { try await send("0\r\n\r\n") }
  }
}
