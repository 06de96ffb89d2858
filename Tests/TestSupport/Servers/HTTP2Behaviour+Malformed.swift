package import Misbehaving

/// All kinds of malformed HTTP/2 answers (RFC 9113 section 8.1.1), including `demo --fault`'s.
extension HTTP2Behaviour {
  package static let allMalformed = malformed + moreMalformed.filter { !malformed.contains($0) }

  private static let moreMalformed: [HTTP2Behaviour] =
    fields.map { name, block in
      HTTP2Behaviour(name) { stream, photo in head(stream, block) + data(stream, photo, isLast: true) }
    }
    + violations.map { name, frames in
      HTTP2Behaviour("\(name)-before-head") { stream, _ in frames(stream) }
    }
    + [
      HTTP2Behaviour("nothing-of-what-was-announced") { stream, photo in
        head(stream, photoHead(length: photo.count), isLast: true)
      },
      HTTP2Behaviour("data-before-head") { stream, photo in data(stream, photo, isLast: true) },
      HTTP2Behaviour("trailers-that-are-not-the-end") { stream, photo in
        head(stream, photoHead()) + data(stream, photo) + head(stream, HPACK.field("x-checksum", "1"))
      },
      HTTP2Behaviour("status-in-trailers") { stream, photo in
        head(stream, photoHead()) + data(stream, photo) + head(stream, HPACK.ok, isLast: true)
      },
      HTTP2Behaviour("interim-answer-that-is-the-end") { stream, _ in
        head(stream, HPACK.status(103), isLast: true)
      },
      HTTP2Behaviour("no-settings", hasPreface: false) { stream, photo in
        head(stream, photoHead()) + data(stream, photo, isLast: true)
      },
      HTTP2Behaviour("http1", then: .notified, hasPreface: false) { _, _ in
        Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8)
      },
    ]

  /// Answers with headers that a client has to reject.
  private static let fields: [(name: String, block: [UInt8])] = [
    ("lf-in-value", photoHead() + HPACK.field("x-more", "a\nb")),
    ("nul-in-value", photoHead() + HPACK.field("x-more", "a\0b")),
    ("crlf-in-name", photoHead() + HPACK.field("x\r\ny", "z")),
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
