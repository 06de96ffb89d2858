internal import NIOCore

/// Streams without end, as fast as the client takes them, up to `Behaviour.endlessBound`.
extension Connection {
  func sendEndlessHeaders() async throws {
    try await send("HTTP/1.1 200 \r\n")
    try await repeatEndlessly("X-More: \(String(repeating: "a", count: 100))\r\n")
  }

  func sendEndlessHeaderLine() async throws {
    try await send("HTTP/1.1 200 \r\nX-Long: ")
    try await repeatEndlessly(String(repeating: "a", count: 128))
  }

  func sendEndlessInterimResponses() async throws {
    try await repeatEndlessly("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
  }

  func sendEndlessTrailers() async throws {
    try await send(
      "HTTP/1.1 200 \r\nContent-Type: image/jpeg\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n")
    try await repeatEndlessly("X-Trailer: \(String(repeating: "a", count: 100))\r\n")
  }

  func sendEndlessChunks(first: [UInt8], as type: String) async throws {
    try await send("HTTP/1.1 200 \r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
    if !first.isEmpty { try await sendChunk(ByteBuffer(bytes: first)) }
    try await repeatEndlessly("400\r\n\(String(repeating: "\0", count: 1024))\r\n")
  }

  func sendEndlessBody(first: [UInt8], as type: String) async throws {
    try await send("HTTP/1.1 200 \r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n")
    try await send(first)
    try await repeatEndlessly(String(repeating: "\0", count: 1024))
  }

  /// One buffer of about 64 KB, sent again and again.
  private func repeatEndlessly(_ unit: String) async throws {
    let buffer = ByteBuffer(string: String(repeating: unit, count: 65_536 / unit.utf8.count))
    for _ in 0..<(Behaviour.endlessBound / buffer.readableBytes) where !Task.isCancelled {
      try await send(buffer)
    }
  }
}
