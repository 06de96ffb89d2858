internal import CCurl
internal import CFrames

/// Makes nghttp2 report frames to their transfers. libcurl 7.88.1 (BodyEndTests, HTTP2Tests) does
/// not report whether a stream ended with END_STREAM, or whether the server broke the rules.
enum HTTP2Frames {
  /// If false, HTTP/2 is not offered, because half a body would look like a whole one.
  static let areSeen: Bool = {
    unsafe frames_watch(
      { easy, count, isLast in
        unsafe Transfer.of(EasyHandle.owner(of: easy)).wire.stream?.receive(count, isLast: isLast)
      },
      { easy, code, isConnection in
        let transfer = unsafe Transfer.of(EasyHandle.owner(of: easy))
        transfer.wire.stream?.violation = HTTP2Stream.Violation(code: code, isOfConnection: isConnection)
        // libcurl itself would wait for more data.
        transfer.context.broken.append(transfer.exchange.id)
      })
  }()
}

struct HTTP2Stream {
  struct Violation: CustomStringConvertible {
    /// Error codes by number (RFC 9113 section 7).
    private static let names = [
      "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
      "ENHANCE_YOUR_CALM",
    ]

    let code: UInt32
    let isOfConnection: Bool

    /// Whether the response is malformed (RFC 9113 section 8.1.1).
    var isOfAnswer: Bool { !isOfConnection && code == 1 }

    var description: String {
      let name = Self.names.indices.contains(Int(code)) ? Self.names[Int(code)] : "error \(code)"
      return "it breaks the rules of HTTP/2 (\(name))"
    }
  }

  private var bodyBytes = 0
  /// Whether any of the response has arrived. libcurl may not have handed it out yet.
  private(set) var hasBegun = false
  private var hasEnded = false
  var violation: Violation?

  mutating func receive(_ count: Int, isLast: Bool) {
    hasBegun = true
    bodyBytes += count
    hasEnded = hasEnded || isLast
  }

  var hasBody: Bool { bodyBytes > 0 }
  func isWhole(at count: Int) -> Bool { hasEnded && bodyBytes == count }
}

extension FetchError {
  private static let refusalStart = "h2_process_pending_input: nghttp2_session_mem_recv() returned "

  /// Reads nghttp2's code (`nghttp2.h`), which libcurl 7.88.1 (HTTP2Tests) gives only in a
  /// sentence. Without it, a server that breaks HTTP/2's rules looks like one that lost its
  /// connection.
  static func refusal(_ sentence: String) -> FetchError? {
    guard sentence.hasPrefix(refusalStart) else { return nil }
    let code = Int(sentence.dropFirst(refusalStart.count).prefix { $0 == "-" || $0.isNumber })
    // -902 is libcurl's own limit for the headers of a stream; -905 is endless CONTINUATION frames.
    return code == -902 || code == -905
      ? .headersTooLarge(maximum: 131_072) : .responseInvalid(detail: sentence)
  }

  static func refusal(_ words: Span<UInt8>) -> FetchError? {
    !words.isEmpty && words[0] == refusalStart.utf8.first ? refusal(words.text) : nil
  }
}
