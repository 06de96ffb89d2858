/// How we know that a body is whole (RFC 9112 section 8, RFC 9113 section 8.1).
///
/// libcurl takes more for whole: whatever comes before a connection ends, or an HTTP/2 stream.
enum BodyEnd {
  /// As many bytes have come as the head announced.
  case length
  /// The last chunk has come.
  case lastChunk
  /// END_STREAM has come.
  case endStream
  /// The server has said over TLS that it closes the connection (close_notify).
  case closeNotify
  /// The connection has ended, which anybody on the way can bring about. The file itself shows its end.
  case file
  /// We do not know it.
  case nothing

  /// Of a transfer that libcurl takes for complete.
  /// - Parameters:
  ///   - received: bytes of the body.
  ///   - file: whether the file shows its end. Asked only if nothing else says so.
  init(of head: ResponseHead, received: Int, on wire: WireMonitor, file: () -> Bool) {
    if head.hasNoBody || head.contentLength == received {
      self = .length
    } else if head.contentLength != nil {
      self = .nothing
    } else if let stream = wire.stream {
      self = stream.isWhole(at: received) ? .endStream : .nothing
    } else if head.isChunked {
      // Without it, libcurl reports an error.
      self = .lastChunk
    } else if wire.speaksTLS {
      self = wire.wasCloseNotified ? .closeNotify : .nothing
    } else {
      self = file() ? .file : .nothing
    }
  }
}
