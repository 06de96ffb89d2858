internal import NIOCore

extension Connection {
  package func serve(_ response: Response) async throws -> Behaviour.Ending {
    try await send(response.head())
    guard response.hasBody else { return .keepsAlive }
    try await sendBody(of: response)
    return response.framing == .untilClose ? .closes : .keepsAlive
  }

  func serveHalf(of response: Response) async throws {
    try await send(response.head())
    try await sendBody(of: response, limit: response.body.length / 2)
  }

  /// Sends the body, or only its first `limit` bytes without the last chunk (RFC 9112 section 7.1).
  func sendBody(
    of response: Response, limit: Int = .max, inPiecesOf size: Int? = nil, every interval: Duration = .zero
  ) async throws {
    let chunk = response.framing.chunk
    var lines = ByteBuffer()
    try await response.body.forEachPiece(of: size ?? chunk ?? 65_536, limit: limit) { piece in
      if chunk == nil {
        try await send(piece)
      } else {
        lines.writeString("\(String(piece.readableBytes, radix: 16))\r\n")
        lines.writeImmutableBuffer(piece)
        lines.writeString("\r\n")
        // Small chunks are sent together. One write for each chunk of 64 bytes takes a busy machine
        // longer than the client's deadline.
        if lines.readableBytes >= 16_384 || interval > .zero {
          try await send(lines)
          lines.clear()
        }
      }
      if interval > .zero { try await Task.sleep(for: interval) }
    }
    if chunk != nil, limit == .max { lines.writeString("0\r\n\r\n") }
    if lines.readableBytes > 0 { try await send(lines) }
  }
}
