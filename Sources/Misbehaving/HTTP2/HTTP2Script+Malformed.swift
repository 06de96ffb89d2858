/// Answers that are no HTTP/2 (RFC 9113 section 8.1.1).
extension HTTP2Script {
  package static let malformed: [HTTP2Script] =
    fields.map { name, block in
      HTTP2Script(name, .invalid) { stream, photo in head(stream, block) + data(stream, photo, isLast: true) }
    }
    + violations.map { name, frames in
      HTTP2Script("\(name)-before-head", .invalid) { stream, _ in frames(stream) }
    }
    + [
      HTTP2Script("longer-than-announced", .invalid) { stream, photo in
        head(stream, photoHead(length: 10)) + data(stream, photo, isLast: true)
      },
      HTTP2Script("shorter-than-announced", .invalid) { stream, photo in
        head(stream, photoHead(length: photo.count + 1)) + data(stream, photo, isLast: true)
      },
      HTTP2Script("nothing-of-what-was-announced", .invalid) { stream, photo in
        head(stream, photoHead(length: photo.count), isLast: true)
      },
      HTTP2Script("data-before-head", .invalid) { stream, photo in data(stream, photo, isLast: true) },
      HTTP2Script("trailers-that-are-not-the-end", .invalid) { stream, photo in
        head(stream, photoHead()) + data(stream, photo) + head(stream, HPACK.field("x-checksum", "1"))
      },
      HTTP2Script("status-in-trailers", .invalid) { stream, photo in
        head(stream, photoHead()) + data(stream, photo) + head(stream, HPACK.ok, isLast: true)
      },
      HTTP2Script("interim-answer-that-is-the-end", .invalid) { stream, _ in
        head(stream, HPACK.status(103), isLast: true)
      },
      HTTP2Script("no-settings", .invalid, hasPreface: false) { stream, photo in
        head(stream, photoHead()) + data(stream, photo, isLast: true)
      },
      HTTP2Script("http1", .invalid, then: .notified, hasPreface: false) { _, _ in
        Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8)
      },
    ]

  /// An answer with a head that nobody may take.
  private static let fields: [(name: String, block: [UInt8])] = [
    ("upper-case", HPACK.ok + HPACK.field("Content-Type", "image/jpeg")),
    ("crlf-in-value", photoHead() + HPACK.field("x-more", "a\r\nset-cookie: b")),
    ("lf-in-value", photoHead() + HPACK.field("x-more", "a\nb")),
    ("nul-in-value", photoHead() + HPACK.field("x-more", "a\0b")),
    ("crlf-in-name", photoHead() + HPACK.field("x\r\ny", "z")),
    ("two-statuses", HPACK.ok + photoHead()),
    ("no-status", HPACK.field("content-type", "image/jpeg")),
    ("status-in-words", HPACK.field(":status", "yes") + HPACK.field("content-type", "image/jpeg")),
    ("short-status", HPACK.field(":status", "20") + HPACK.field("content-type", "image/jpeg")),
    ("status-behind-a-field", HPACK.field("content-type", "image/jpeg") + HPACK.ok),
    ("unknown-pseudo-field", HPACK.ok + HPACK.field(":media", "image/jpeg")),
    ("pseudo-field-of-requests", HPACK.ok + HPACK.field(":path", "/")),
    ("connection", photoHead() + HPACK.field("connection", "close")),
    ("transfer-encoding", photoHead() + HPACK.field("transfer-encoding", "chunked")),
    ("length-in-words", photoHead() + HPACK.field("content-length", "many")),
    ("two-lengths", photoHead(length: 10) + HPACK.field("content-length", "11")),
  ]
}
