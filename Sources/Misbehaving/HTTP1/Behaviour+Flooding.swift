/// Streams that run as fast as the client takes them, until `Connection.flood` stops.
extension Behaviour {
  package static var endlessHeaders: Behaviour { endless("HTTP/1.1 200 \r\n", "X-More: \(filler)\r\n") }
  package static var endlessHeaderLine: Behaviour { endless("HTTP/1.1 200 \r\nX-Long: ", filler) }

  package static var endlessInterimResponses: Behaviour {
    endless("", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
  }

  /// A body of three bytes, then endless trailer fields. Most limits do not cover trailers.
  package static var endlessTrailers: Behaviour {
    endless(head("image/jpeg", chunked) + "3\r\nabc\r\n0\r\n", "X-Trailer: \(filler)\r\n")
  }

  /// Endless chunks. The body starts with the bytes `first`.
  package static func endlessChunks(first: [UInt8], as type: String = "image/jpeg") -> Behaviour {
    let chunk = first.isEmpty ? [] : Array("\(String(first.count, radix: 16))\r\n".utf8) + first + [13, 10]
    return endless(head(type, chunked), "400\r\n\(zeros)\r\n", first: chunk)
  }

  /// An endless body without chunks or a length.
  package static func endlessBody(first: [UInt8], as type: String = "image/jpeg") -> Behaviour {
    endless(head(type, "Connection: close"), zeros, first: first)
  }

  private static let filler = String(repeating: "a", count: 100)
  private static let zeros = String(repeating: "\0", count: 1_024)
  private static let chunked = "Transfer-Encoding: chunked"

  private static func head(_ type: String, _ field: String) -> String {
    "HTTP/1.1 200 \r\nContent-Type: \(type)\r\n\(field)\r\n\r\n"
  }

  private static func endless(
    _ head: String, _ unit: String, first: [UInt8] = [], row: String = #function
  ) -> Behaviour {
    .closing([head, first], row: row) { connection, _ in
      try await connection.send(Array(head.utf8) + first)
      try await connection.flood(Array(unit.utf8))
    }
  }
}
