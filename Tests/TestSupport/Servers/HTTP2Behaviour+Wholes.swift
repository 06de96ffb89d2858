package import Misbehaving

/// Bodies that are complete.
extension HTTP2Behaviour {
  /// Answers with a photo, in frames of a kilobyte.
  package static let photo = HTTP2Behaviour("photo") {
    head($0, photoHead()) + data($0, $1, isLast: true)
  }

  /// The same, followed by endless SETTINGS frames once the client has the photo.
  package static let photoBeforeSettings = HTTP2Behaviour(
    "photoBeforeSettings", waitsForPong: true, flood: { _ in setting }
  ) { head($0, photoHead()) + data($0, $1, isLast: true) + frame(.ping, Array("received".utf8)) }

  package static let wholes: [HTTP2Behaviour] = [
    HTTP2Behaviour("end-of-stream") { stream, photo in
      head(stream, photoHead()) + data(stream, photo, isLast: true)
    },
    HTTP2Behaviour("empty-end-of-stream") { stream, photo in
      head(stream, photoHead()) + data(stream, photo) + data(stream, [], isLast: true)
    },
    HTTP2Behaviour("trailers") { stream, photo in
      head(stream, photoHead()) + data(stream, photo)
        + head(stream, HPACK.field("x-checksum", "1"), isLast: true)
    },
    HTTP2Behaviour("padding") { stream, photo in
      // The length of the padding, and five bytes of padding at the end (RFC 9113 section 6.1).
      let padded = [5] + photo.prefix(1_000) + Array(repeating: 0, count: 5)
      return head(stream, photoHead()) + frame(.data, flags: 8, stream: stream, padded)
        + data(stream, photo.dropFirst(1_000), isLast: true)
    },
    HTTP2Behaviour("end-of-stream-and-reset") { stream, photo in
      head(stream, photoHead()) + data(stream, photo, isLast: true) + reset(stream, 0)
    },
    HTTP2Behaviour("end-of-stream-and-close", then: .abrupt) { stream, photo in
      head(stream, photoHead()) + data(stream, photo, isLast: true)
    },
    HTTP2Behaviour("goaway-and-end-of-stream", then: .notified) { stream, photo in
      head(stream, photoHead()) + data(stream, firstHalf(photo)) + goAway(stream, 0)
        + data(stream, photo.dropFirst(photo.count / 2), isLast: true)
    },
    HTTP2Behaviour("ping-and-settings-in-body") { stream, photo in
      head(stream, photoHead()) + data(stream, firstHalf(photo))
        + frame(.ping, Array(repeating: 1, count: 8))
        + frame(.settings, [0, 3, 0, 0, 0, 9]) + HTTP2Frame(kind: 0xbb, [1, 2, 3]).bytes
        + data(stream, photo.dropFirst(photo.count / 2), isLast: true)
    },
    HTTP2Behaviour("length-and-no-end-of-stream") { stream, photo in
      head(stream, photoHead(length: photo.count)) + data(stream, photo)
    },
    HTTP2Behaviour("length-and-close", then: .abrupt) { stream, photo in
      head(stream, photoHead(length: photo.count)) + data(stream, photo)
    },
  ]
}
