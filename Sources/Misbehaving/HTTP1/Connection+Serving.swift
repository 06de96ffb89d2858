internal import NIOCore

extension Connection {
  /// The response as it should be.
  package func serve(_ response: Response) async throws -> Behaviour.Ending {
    try await send(response.head())
    guard response.hasBody else { return .keepsAlive }
    try await sendBody(of: response)
    return response.framing == .untilClose ? .closes : .keepsAlive
  }

  /// All that was announced, less the second half.
  func serveHalf(of response: Response) async throws {
    try await send(response.head())
    try await sendBody(of: response, limit: response.body.length / 2)
  }

  /// The body as its framing wants it, or only its first `limit` bytes; then, chunked, without the last
  /// chunk.
  func sendBody(
    of response: Response, limit: Int = .max, inPiecesOf size: Int? = nil, every interval: Duration = .zero
  ) async throws {
    let chunk = response.framing.chunk
    try await response.body.forEachPiece(of: size ?? chunk ?? 65_536, limit: limit) { piece in
      // RFC 9112 section 7.1.
      if chunk != nil {
        var line = ByteBuffer(string: "\(String(piece.readableBytes, radix: 16))\r\n")
        line.writeImmutableBuffer(piece)
        line.writeString("\r\n")
        try await send(line)
      } else {
        try await send(piece)
      }
      if interval > .zero { try await Task.sleep(for: interval) }
    }
    if chunk != nil, limit == .max { try await send("0\r\n\r\n") }
  }
}
