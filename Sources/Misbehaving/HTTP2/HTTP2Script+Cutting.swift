/// Bodies that end early, and those that do not.
extension HTTP2Script {
  /// Half a photo, without a length, and then something that is not END_STREAM.
  package static let cuts: [HTTP2Script] =
    // With 13, HTTP_1_1_REQUIRED, libcurl asks again over HTTP/1.1.
    (0...12).map { code in cut("reset-\(code)") { stream in reset(stream, code) } }
    + violations.map { name, frames in cut(name, frames) }
    + [
      cut("close", then: .notified) { _ in [] },
      cut("close-without-notify", then: .abrupt) { _ in [] },
      cut("tcp-reset", then: .reset) { _ in [] },
      cut("goaway-and-close", then: .notified) { goAway($0, 0) },
      cut("goaway-for-earlier-ones", then: .notified) { _ in goAway(0, 0) },
      cut("reset-and-close", then: .abrupt) { reset($0, 0) },
      cut("ping-on-a-stream-and-close", then: .notified) {
        HTTP2Frame(.ping, stream: $0, Array(repeating: 0, count: 8)).bytes
      },
      cut("garbage-and-close", then: .notified) { _ in Array(repeating: 0xff, count: 100) },
      HTTP2Script("close-behind-head", .truncated, then: .notified) { stream, _ in
        head(stream, photoHead())
      },
      HTTP2Script("reset-behind-head", .truncated) { stream, _ in
        head(stream, photoHead()) + reset(stream, 0)
      },
      // It was all, but who can tell?
      HTTP2Script("all-and-reset", .truncated) { stream, photo in
        head(stream, photoHead()) + data(stream, photo) + reset(stream, 0)
      },
      HTTP2Script("all-and-close", .truncated, then: .notified) { stream, photo in
        head(stream, photoHead()) + data(stream, photo)
      },
      HTTP2Script("half-with-length-and-reset", .truncated) { stream, photo in
        head(stream, photoHead(length: photo.count)) + data(stream, half(photo)) + reset(stream, 0)
      },
      HTTP2Script("half-with-length-and-close", .truncated, then: .notified) { stream, photo in
        head(stream, photoHead(length: photo.count)) + data(stream, half(photo))
      },
    ]

  package static let wholes: [HTTP2Script] = [
    HTTP2Script("end-of-stream", .whole) { stream, photo in
      head(stream, photoHead()) + data(stream, photo, isLast: true)
    },
    HTTP2Script("empty-end-of-stream", .whole) { stream, photo in
      head(stream, photoHead()) + data(stream, photo) + data(stream, [], isLast: true)
    },
    HTTP2Script("trailers", .whole) { stream, photo in
      head(stream, photoHead()) + data(stream, photo)
        + head(stream, HPACK.field("x-checksum", "1"), isLast: true)
    },
    HTTP2Script("padding", .whole) { stream, photo in
      // One byte that says how much it is, and five more (RFC 9113 section 6.1).
      let padded = [5] + photo.prefix(1_000) + Array(repeating: 0, count: 5)
      return head(stream, photoHead()) + HTTP2Frame(.data, flags: 8, stream: stream, padded).bytes
        + data(stream, photo.dropFirst(1_000), isLast: true)
    },
    HTTP2Script("end-of-stream-and-reset", .whole) { stream, photo in
      head(stream, photoHead()) + data(stream, photo, isLast: true) + reset(stream, 0)
    },
    HTTP2Script("end-of-stream-and-close", .whole, then: .abrupt) { stream, photo in
      head(stream, photoHead()) + data(stream, photo, isLast: true)
    },
    HTTP2Script("goaway-and-end-of-stream", .whole, then: .notified) { stream, photo in
      head(stream, photoHead()) + data(stream, half(photo)) + goAway(stream, 0)
        + data(stream, photo.dropFirst(photo.count / 2), isLast: true)
    },
    HTTP2Script("ping-and-settings-in-body", .whole) { stream, photo in
      head(stream, photoHead()) + data(stream, half(photo))
        + HTTP2Frame(.ping, Array(repeating: 1, count: 8)).bytes
        + HTTP2Frame(.settings, [0, 3, 0, 0, 0, 9]).bytes + HTTP2Frame(kind: 0xbb, [1, 2, 3]).bytes
        + data(stream, photo.dropFirst(photo.count / 2), isLast: true)
    },
    HTTP2Script("length-and-no-end-of-stream", .whole) { stream, photo in
      head(stream, photoHead(length: photo.count)) + data(stream, photo)
    },
    HTTP2Script("length-and-close", .whole, then: .abrupt) { stream, photo in
      head(stream, photoHead(length: photo.count)) + data(stream, photo)
    },
  ]

  /// What breaks the rules for a whole connection, wherever it stands.
  static let violations: [(name: String, frames: @Sendable (_ stream: UInt32) -> [UInt8])] = [
    ("short-ping", { _ in HTTP2Frame(.ping, Array("short".utf8)).bytes }),
    ("ping-on-a-stream", { HTTP2Frame(.ping, stream: $0, Array(repeating: 0, count: 8)).bytes }),
    ("data-on-stream-0", { _ in HTTP2Frame(.data, [1, 2, 3]).bytes }),
    ("data-on-an-idle-stream", { HTTP2Frame(.data, stream: $0 + 2, [1, 2, 3]).bytes }),
    ("push-promise", { pushPromise($0) }),
    ("oversized-frame", { HTTP2Frame(.data, stream: $0, Array(repeating: 7, count: 20_000)).bytes }),
    ("overflowing-window", { _ in HTTP2Frame(.window, [0x7f, 0xff, 0xff, 0xff]).bytes }),
    ("overflowing-window-of-stream", { HTTP2Frame(.window, stream: $0, [0x7f, 0xff, 0xff, 0xff]).bytes }),
    ("window-of-0", { _ in HTTP2Frame(.window, [0, 0, 0, 0]).bytes }),
    ("short-window", { _ in HTTP2Frame(.window, [0, 0, 1]).bytes }),
    ("short-settings", { _ in HTTP2Frame(.settings, [0, 3, 0]).bytes }),
    ("settings-on-a-stream", { HTTP2Frame(.settings, stream: $0).bytes }),
    ("acknowledgement-with-settings", { _ in HTTP2Frame(.settings, flags: 1, [0, 3, 0, 0, 0, 9]).bytes }),
    ("window-that-is-too-large", { _ in HTTP2Frame(.settings, [0, 4, 0x80, 0, 0, 0]).bytes }),
    ("frames-that-are-too-small", { _ in HTTP2Frame(.settings, [0, 5, 0, 0, 0, 1]).bytes }),
    ("reset-of-stream-0", { _ in reset(0, 0) }),
    ("reset-of-an-idle-stream", { reset($0 + 2, 0) }),
    ("short-reset", { HTTP2Frame(.reset, stream: $0, [0, 0]).bytes }),
    ("goaway-on-a-stream", { HTTP2Frame(.goAway, stream: $0, Array(repeating: 0, count: 8)).bytes }),
    ("short-goaway", { _ in HTTP2Frame(.goAway, [0, 0]).bytes }),
    ("headers-on-stream-0", { _ in head(0, HPACK.ok) }),
    ("headers-of-the-server", { _ in head(2, HPACK.ok) }),
    ("continuation-of-nothing", { HTTP2Frame(.continuation, stream: $0, HPACK.ok).bytes }),
    (
      "headers-that-are-not-continued",
      {
        HTTP2Frame(.headers, stream: $0, HPACK.field("x", "y")).bytes
          + HTTP2Frame(.ping, Array(repeating: 0, count: 8)).bytes
      }
    ),
    ("broken-hpack", { head($0, [0xff, 0xff, 0xff, 0xff, 0x7f]) }),
    ("short-priority", { HTTP2Frame(.priority, stream: $0, [0]).bytes }),
    ("padding-longer-than-the-frame", { HTTP2Frame(.data, flags: 8, stream: $0, [9, 0]).bytes }),
  ]

  private static func pushPromise(_ stream: UInt32) -> [UInt8] {
    let request = [0x82, 0x87, 0x84] + HPACK.field(":authority", "127.0.0.1")
    return HTTP2Frame(.push, flags: HTTP2Frame.endOfHeaders, stream: stream, [0, 0, 0, 2] + request).bytes
  }

  private static func half(_ photo: [UInt8]) -> ArraySlice<UInt8> { photo.prefix(photo.count / 2) }

  private static func cut(
    _ name: String, then close: Close = .never, _ end: @escaping @Sendable (UInt32) -> [UInt8]
  ) -> HTTP2Script {
    HTTP2Script("half-and-\(name)", .truncated, then: close) { stream, photo in
      head(stream, photoHead()) + data(stream, half(photo)) + end(stream)
    }
  }
}
