internal import NIOCore

/// A well-formed answer, and the raw material of the malformed ones.
package struct Response: Hashable, Sendable {
  /// How the end of the body is marked (RFC 9112 section 6.3). Only `untilClose` ends the connection.
  package enum Framing: Hashable, Sendable {
    case contentLength
    /// In chunks of at most this many bytes.
    case chunked(Int)
    case untilClose

    /// The size of a chunk, or nil if the body is not chunked.
    var chunk: Int? { if case .chunked(let size) = self { max(1, size) } else { nil } }
  }

  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var status: Int
  package var contentType: String?
  /// Sent after `Content-Type`, in this order.
  package var fields: [Field]
  package var body: Body
  package var framing: Framing

  package init(
    _ body: Body = .bytes([]), as contentType: String? = nil, status: Int = 200, fields: [Field] = [],
    framing: Framing = .contentLength
  ) {
    self.status = status
    self.contentType = contentType
    self.fields = fields
    self.body = body
    self.framing = framing
  }

  /// A 1xx, 204 or 304 has no body, whatever its headers say (RFC 9112 section 6.3, item 1).
  var hasBody: Bool { status >= 200 && status != 204 && status != 304 }

  /// Status line, headers and the empty line.
  /// - Parameter framing: the fields that mark the body's end; nil for truthful ones.
  func head(framing: [Field]? = nil) -> String {
    let type = contentType.map { [Field("Content-Type", $0)] } ?? []
    let lines = (type + fields + (framing ?? framingFields)).map { "\($0.name): \($0.value)\r\n" }.joined()
    return "HTTP/1.1 \(status) \r\n\(lines)\r\n"
  }

  /// The whole answer, then `surplus`. If the answer is chunked, it has one chunk.
  package func bytes(followedBy surplus: [UInt8]) async throws -> [UInt8] {
    var bytes = ByteBuffer(string: head())
    if hasBody {
      if framing.chunk != nil { bytes.writeString("\(String(body.length, radix: 16))\r\n") }
      try await body.forEachPiece { bytes.writeImmutableBuffer($0) }
      if framing.chunk != nil { bytes.writeString("\r\n0\r\n\r\n") }
    }
    return Array(bytes.readableBytesView) + surplus
  }

  /// The fields that truthfully mark the end of this body.
  var framingFields: [Field] {
    guard hasBody else { return [] }
    return switch framing {
    case .contentLength: [Field("Content-Length", "\(body.length)")]
    case .chunked: [Field("Transfer-Encoding", "chunked")]
    case .untilClose: [Field("Connection", "close")]
    }
  }
}

extension Response {
  /// 404 with an HTML page, as most dead links answer.
  package static let notFoundPage = Response(
    .bytes(Array("<!DOCTYPE html><html><title>404</title><h1>Not found</h1></html>\n".utf8)),
    as: "text/html; charset=utf-8", status: 404)

  /// 206 with the first half of `bytes`, although the request did not ask for a range.
  package static func partialContent(_ bytes: [UInt8], as contentType: String) -> Response {
    let half = Array(bytes.prefix(bytes.count / 2))
    let range = Field("Content-Range", "bytes 0-\(max(half.count, 1) - 1)/\(bytes.count)")
    return Response(.bytes(half), as: contentType, status: 206, fields: [range])
  }

  package static func redirect(to location: String, status: Int = 302) -> Response {
    Response(status: status, fields: [Field("Location", location)])
  }
}
