/// Answers that end early, and answers that break HTTP/2. The tests have more of them.
extension HTTP2Behaviour {
  /// Half a photo without a length, then something other than END_STREAM.
  package static let cuts =
    [0, 2].map { code in half("reset-\(code)") { reset($0, code) } } + [
      half("short-ping") { _ in shortPing },
      half("data-on-stream-0") { _ in frame(.data, [1, 2, 3]) },
      half("push-promise") { pushPromise($0) },
      half("oversized-frame") { frame(.data, stream: $0, Array(repeating: 7, count: 20_000)) },
      half("overflowing-window") { _ in frame(.window, [0x7f, 0xff, 0xff, 0xff]) },
      half("close", then: .notified) { _ in [] },
    ]

  /// Malformed answers, which no client may accept (RFC 9113 section 8.1.1).
  package static let malformed = [
    photo("upper-case", behind: HPACK.ok + HPACK.field("Content-Type", "image/jpeg")),
    photo("crlf-in-value", behind: photoHead() + HPACK.field("x-more", "a\r\nset-cookie: b")),
    photo("two-statuses", behind: HPACK.ok + photoHead()),
    photo("no-status", behind: HPACK.field("content-type", "image/jpeg")),
    HTTP2Behaviour("short-ping-before-head") { _, _ in shortPing },
    photo("longer-than-announced", behind: photoHead(length: 10)),
    HTTP2Behaviour("shorter-than-announced") { stream, photo in
      head(stream, photoHead(length: photo.count + 1)) + data(stream, photo, isLast: true)
    },
  ]

  package static func half(
    _ name: String, then close: Close = .never, _ end: @escaping @Sendable (UInt32) -> [UInt8]
  ) -> HTTP2Behaviour {
    HTTP2Behaviour("half-and-\(name)", then: close) { stream, photo in
      head(stream, photoHead()) + data(stream, photo.prefix(photo.count / 2)) + end(stream)
    }
  }

  private static func photo(_ name: String, behind block: [UInt8]) -> HTTP2Behaviour {
    HTTP2Behaviour(name) { stream, photo in head(stream, block) + data(stream, photo, isLast: true) }
  }

  private static let shortPing = frame(.ping, Array("short".utf8))

  package static func pushPromise(_ stream: UInt32) -> [UInt8] {
    let request = [0x82, 0x87, 0x84] + HPACK.field(":authority", "127.0.0.1")
    return frame(.push, flags: HTTP2Frame.endOfHeaders, stream: stream, [0, 0, 0, 2] + request)
  }
}

/// The frames that answers are made of.
extension HTTP2Behaviour {
  package static func frame(
    _ kind: HTTP2Frame.Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    HTTP2Frame(kind: kind.rawValue, flags: flags, stream: stream, payload).bytes
  }

  package static func head(_ stream: UInt32, _ block: [UInt8], isLast: Bool = false) -> [UInt8] {
    let flags = HTTP2Frame.endOfHeaders | (isLast ? HTTP2Frame.endOfStream : 0)
    return frame(.headers, flags: flags, stream: stream, block)
  }

  package static func data(_ stream: UInt32, _ bytes: some Collection<UInt8>, isLast: Bool = false) -> [UInt8]
  {
    let bytes = Array(bytes)
    return stride(from: 0, to: max(1, bytes.count), by: 1_024).flatMap { start in
      let end = min(start + 1_024, bytes.count)
      let flags = isLast && end == bytes.count ? HTTP2Frame.endOfStream : 0
      return frame(.data, flags: flags, stream: stream, Array(bytes[start..<end]))
    }
  }

  package static func reset(_ stream: UInt32, _ code: UInt8) -> [UInt8] {
    frame(.reset, stream: stream, [0, 0, 0, code])
  }

  /// Status 200 and the content type, with a length if one is given.
  package static func photoHead(length: Int? = nil) -> [UInt8] {
    HPACK.ok + HPACK.field("content-type", "image/jpeg")
      + (length.map { HPACK.field("content-length", "\($0)") } ?? [])
  }
}
