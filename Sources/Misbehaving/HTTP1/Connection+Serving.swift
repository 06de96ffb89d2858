internal import NIOCore

extension Connection {
  /// The response as it should be.
  func serve(_ response: Response) async throws -> Ending {
    try await send(response.head(framing: try response.framingFields()))
    guard response.hasBody else { return .keepsAlive }
    try await sendBody(of: response)
    return response.framing == .untilClose ? .closes : .keepsAlive
  }

  /// The response, and behind it what is none.
  func serve(_ response: Response, followedBy surplus: [UInt8], after delay: Duration) async throws -> Ending
  {
    if delay == .zero {
      try await send(response.bytes(followedBy: surplus))
      return .keepsAlive
    }
    let ending = try await serve(response)
    try await Task.sleep(for: delay)
    try await send(surplus)
    return ending
  }

  /// The body as its framing wants it, or only its first `limit` bytes; then, chunked, without the last
  /// chunk.
  func sendBody(of response: Response, limit: Int = .max) async throws {
    guard case .chunked(let size) = response.framing else {
      return try await response.body.forEachPiece(limit: limit) { try await send($0) }
    }
    try await response.body.forEachPiece(of: max(1, size), limit: limit) { try await sendChunk($0) }
    if limit == .max { try await send("0\r\n\r\n") }
  }

  /// One chunk of a chunked body (RFC 9112 section 7.1).
  func sendChunk(_ piece: ByteBuffer) async throws {
    var piece = piece
    var chunk = ByteBuffer(string: String(piece.readableBytes, radix: 16) + "\r\n")
    chunk.writeBuffer(&piece)
    chunk.writeString("\r\n")
    try await send(chunk)
  }
}
