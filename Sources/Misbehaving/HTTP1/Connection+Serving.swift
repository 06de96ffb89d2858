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
    try await response.body.forEachPiece(of: size ?? chunk ?? 65_536, limit: limit) { piece in
      if chunk == nil {
        try await send(piece)
      } else {
        var line = ByteBuffer(string: "\(String(piece.readableBytes, radix: 16))\r\n")
        line.writeImmutableBuffer(piece)
        line.writeString("\r\n")
        try await send(line)
      }
      if interval > .zero { try await Task.sleep(for: interval) }
    }
    if chunk != nil, limit == .max { try await send("0\r\n\r\n") }
  }
}
