package import Misbehaving

/// All kinds of bodies that end early. `demo --fault` shows some of them.
extension HTTP2Behaviour {
  /// Half a photo, without a length, followed by something other than END_STREAM.
  package static let allCuts = cuts + moreCuts.filter { !cuts.contains($0) }

  private static let moreCuts: [HTTP2Behaviour] =
    // After code 13, HTTP_1_1_REQUIRED, libcurl asks again over HTTP/1.1.
    (0...12).map { code in half("reset-\(code)") { stream in reset(stream, code) } }
    + violations.map { name, frames in half(name, frames) }
    + [
      half("close-without-notify", then: .abrupt) { _ in [] },
      half("tcp-reset", then: .reset) { _ in [] },
      half("goaway-and-close", then: .notified) { goAway($0, 0) },
      half("goaway-for-earlier-ones", then: .notified) { _ in goAway(0, 0) },
      half("reset-and-close", then: .abrupt) { reset($0, 0) },
      half("ping-on-a-stream-and-close", then: .notified) {
        frame(.ping, stream: $0, Array(repeating: 0, count: 8))
      },
      half("garbage-and-close", then: .notified) { _ in Array(repeating: 0xff, count: 100) },
      HTTP2Behaviour("close-behind-head", then: .notified) { stream, _ in
        head(stream, photoHead())
      },
      HTTP2Behaviour("reset-behind-head") { stream, _ in
        head(stream, photoHead()) + reset(stream, 0)
      },
      // The photo is complete, but the client cannot know that.
      HTTP2Behaviour("all-and-reset") { stream, photo in
        head(stream, photoHead()) + data(stream, photo) + reset(stream, 0)
      },
      HTTP2Behaviour("all-and-close", then: .notified) { stream, photo in
        head(stream, photoHead()) + data(stream, photo)
      },
      HTTP2Behaviour("half-with-length-and-reset") { stream, photo in
        head(stream, photoHead(length: photo.count)) + data(stream, firstHalf(photo)) + reset(stream, 0)
      },
      HTTP2Behaviour("half-with-length-and-close", then: .notified) { stream, photo in
        head(stream, photoHead(length: photo.count)) + data(stream, firstHalf(photo))
      },
    ]

  /// Frames that violate the protocol for the whole connection, wherever they appear.
  static let violations: [(name: String, frames: @Sendable (_ stream: UInt32) -> [UInt8])] = [
    ("short-ping", { _ in frame(.ping, Array("short".utf8)) }),
    ("ping-on-a-stream", { frame(.ping, stream: $0, Array(repeating: 0, count: 8)) }),
    ("data-on-stream-0", { _ in frame(.data, [1, 2, 3]) }),
    ("data-on-an-idle-stream", { frame(.data, stream: $0 + 2, [1, 2, 3]) }),
    ("push-promise", { pushPromise($0) }),
    ("oversized-frame", { frame(.data, stream: $0, Array(repeating: 7, count: 20_000)) }),
    ("overflowing-window", { _ in frame(.window, [0x7f, 0xff, 0xff, 0xff]) }),
    ("overflowing-window-of-stream", { frame(.window, stream: $0, [0x7f, 0xff, 0xff, 0xff]) }),
    ("window-of-0", { _ in frame(.window, [0, 0, 0, 0]) }),
    ("short-window", { _ in frame(.window, [0, 0, 1]) }),
    ("short-settings", { _ in frame(.settings, [0, 3, 0]) }),
    ("settings-on-a-stream", { frame(.settings, stream: $0) }),
    ("acknowledgement-with-settings", { _ in frame(.settings, flags: 1, [0, 3, 0, 0, 0, 9]) }),
    ("window-that-is-too-large", { _ in frame(.settings, [0, 4, 0x80, 0, 0, 0]) }),
    ("frames-that-are-too-small", { _ in frame(.settings, [0, 5, 0, 0, 0, 1]) }),
    ("reset-of-stream-0", { _ in reset(0, 0) }),
    ("reset-of-an-idle-stream", { reset($0 + 2, 0) }),
    ("short-reset", { frame(.reset, stream: $0, [0, 0]) }),
    ("goaway-on-a-stream", { frame(.goAway, stream: $0, Array(repeating: 0, count: 8)) }),
    ("short-goaway", { _ in frame(.goAway, [0, 0]) }),
    ("headers-on-stream-0", { _ in head(0, HPACK.ok) }),
    ("headers-of-the-server", { _ in head(2, HPACK.ok) }),
    ("continuation-of-nothing", { frame(.continuation, stream: $0, HPACK.ok) }),
    (
      "headers-that-are-not-continued",
      {
        frame(.headers, stream: $0, HPACK.field("x", "y"))
          + frame(.ping, Array(repeating: 0, count: 8))
      }
    ),
    ("broken-hpack", { head($0, [0xff, 0xff, 0xff, 0xff, 0x7f]) }),
    ("short-priority", { frame(.priority, stream: $0, [0]) }),
    ("padding-longer-than-the-frame", { frame(.data, flags: 8, stream: $0, [9, 0]) }),
  ]

  static func goAway(_ last: UInt32, _ code: UInt8) -> [UInt8] {
    frame(.goAway, [0, 0, 0, UInt8(truncatingIfNeeded: last), 0, 0, 0, code])
  }

  static func firstHalf(_ photo: [UInt8]) -> ArraySlice<UInt8> { photo.prefix(photo.count / 2) }
}
