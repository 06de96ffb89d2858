package import Misbehaving
import NIOCore
import Supporting

/// One client of a service, from its first request to its last. Used by one task.
package final class Visitor {
  package let connection: Connection
  private var pieces: AsyncThrowingStream<ByteBuffer, any Error>.Iterator
  private var received = ByteBuffer()

  package init(_ guest: Guest) {
    connection = Connection(channel: guest.channel)
    pieces = guest.pieces.makeAsyncIterator()
  }

  /// The head of the next request; nil if the client has closed the connection, or sent no HTTP.
  package func nextHead() async throws -> Request? {
    while true {
      let bytes = received.readableBytesView
      if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        received.moveReaderIndex(to: end.upperBound)
        return Request(head: head)
      }
      guard bytes.count < 65_536, try await receiveMore() else { return nil }
    }
  }

  /// Reads the body of a request, or its first `limit` bytes. Nil if the client ends before that.
  /// - Parameter speed: in bytes a second; nil for as fast as it comes.
  package func body(of request: Request, limit: Int = .max, speed: Int? = nil) async throws -> [UInt8]? {
    // With Expect, the client sends its body once it is told to (RFC 9110 section 10.1.1).
    if request.value(of: "Expect") != nil { try await connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
    let length = min(limit, request.value(of: "Content-Length").flatMap { Int($0) } ?? 0)
    var body: [UInt8] = []
    body.reserveCapacity(length)
    while body.count < length {
      if received.readableBytes == 0 {
        received.clear()
        guard try await receiveMore() else { return nil }
      }
      let piece = received.readSlice(length: min(received.readableBytes, length - body.count))
      if let piece {
        body += piece.readableBytesView
        if let speed { try await Task.sleep(for: .seconds(Double(piece.readableBytes) / Double(speed))) }
      }
    }
    return body
  }

  private func receiveMore() async throws -> Bool {
    connection.channel.read()
    guard var piece = try await pieces.next(isolation: #isolation) else { return false }
    received.writeBuffer(&piece)
    return true
  }
}

/// An answer of a service.
package struct ServiceAnswer: Equatable, Sendable {
  package var status: Int
  package var fields: [Response.Field]
  package var body: [UInt8]
  /// S3 sends errors in chunks, because it begins them before it knows how long they are.
  var isChunked = false

  package init(_ status: Int, _ fields: [Response.Field] = [], _ body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  init(_ text: String, as type: String, status: Int = 200) {
    self.init(status, [Response.Field("Content-Type", type)], Array(text.utf8))
  }

  /// The bytes of the answer.
  /// - Parameters:
  ///   - method: an answer to HEAD has no body (RFC 9110 section 9.3.2).
  ///   - time: in seconds since 1970.
  func bytes(to method: String, at time: Int64) -> [UInt8] {
    let framing =
      isChunked
      ? Response.Field("Transfer-Encoding", "chunked") : Response.Field("Content-Length", "\(body.count)")
    let date = Response.Field("Date", ServiceClock.httpDate(time))
    let lines = ([date] + fields + (status == 204 ? [] : [framing])).map { "\($0.name): \($0.value)\r\n" }
    let head = Array("HTTP/1.1 \(status) \r\n\(lines.joined())\r\n".utf8)
    guard method != "HEAD", status != 204 else { return head }
    guard isChunked else { return head + body }
    return head + Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
  }
}
