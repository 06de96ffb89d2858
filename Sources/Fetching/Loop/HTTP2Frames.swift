internal import CCurl
internal import CFrames

/// What nghttp2 finds in HTTP/2, and libcurl 7.88 keeps to itself.
enum HTTP2Frames {
  /// Whether transfers are told. HTTP/2 is not offered otherwise: nobody could tell half a body from a whole
  /// one.
  static let areSeen: Bool = {
    // For as long as the process runs.
    let watcher = UnsafeMutablePointer<frames_watcher>.allocate(capacity: 1)
    unsafe watcher.initialize(
      to: frames_watcher(
        received: { easy, count, isLast in
          unsafe Transfer.of(EasyHandle.owner(of: easy)).receiveFrame(with: count, isLast: isLast)
        },
        violated: { easy, code, isConnection in
          let violation = HTTP2Stream.Violation(code: code, isOfConnection: isConnection)
          unsafe Transfer.of(EasyHandle.owner(of: easy)).note(violation)
        }))
    return unsafe frames_watch(watcher)
  }()
}

/// What has come on the HTTP/2 stream of one transfer.
struct HTTP2Stream {
  /// What the server has sent is no HTTP/2.
  struct Violation: CustomStringConvertible {
    /// Error codes (RFC 9113 section 7).
    private static let names = [
      "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
      "ENHANCE_YOUR_CALM",
    ]

    let code: UInt32
    /// Whether it has ended the connection, with all its streams.
    let isOfConnection: Bool

    /// Whether the answer is malformed (section 8.1.1).
    var isOfAnswer: Bool { !isOfConnection && code == 1 }

    var description: String {
      let name = Self.names.indices.contains(Int(code)) ? Self.names[Int(code)] : "error \(code)"
      return "it breaks the rules of HTTP/2 (\(name))"
    }
  }

  private var bodyBytes = 0
  /// Whether anything of the answer has come. libcurl may not have handed it out, if more came with it.
  private(set) var hasBegun = false
  private var hasEnded = false
  var violation: Violation?

  /// A frame has come with `count` bytes of the body, and END_STREAM if it is the last one.
  mutating func receive(_ count: Int, isLast: Bool) {
    hasBegun = true
    bodyBytes += count
    if isLast { hasEnded = true }
  }

  /// Whether its head has come, and more.
  var hasBody: Bool { bodyBytes > 0 }

  /// Whether END_STREAM has come, and a body of `count` bytes before it.
  func isWhole(at count: Int) -> Bool { hasEnded && bodyBytes == count }
}
