/// Streams that end late or never, and silence.
extension HTTP2Behaviour {
  /// SETTINGS frames, which the client has to acknowledge one by one.
  package static let settings = flood("settings") { _ in setting }
  /// PING frames, which the client has to answer one by one.
  package static let pings = flood("pings") { _ in ping }
  /// PING frames from a server that does not read the answers.
  package static let unreadPings = flood("unread-pings", reads: false) { _ in ping }
  /// RST_STREAM over and over, after the headers of an answer.
  package static let resets = flood("resets") { reset($0, 8) }
  /// Refuses each stream, which allows the client to try again.
  package static let refusals = HTTP2Behaviour("refusals") { stream, _ in reset(stream, 7) }
  package static let emptyData = flood("empty-data") { frame(.data, stream: $0) }
  /// Frames of an unknown kind, which the client has to ignore.
  package static let unknownFrames = flood("unknown-frames") { _ in
    HTTP2Frame(kind: 0xbb, Array(repeating: 0, count: 100)).bytes
  }

  /// A header block that goes on in CONTINUATION frames without end.
  package static let continuation = flood(
    "continuation", behind: { frame(.headers, stream: $0, photoHead()) }
  ) { frame(.continuation, stream: $0, filler) }

  package static let interimResponses = flood("103s", behind: { _ in [] }) {
    head($0, HPACK.status(103) + filler)
  }

  /// Headers of 112 KB in seven frames.
  package static let longHeaders = HTTP2Behaviour("long-headers") { stream, _ in
    let block = Array(repeating: filler, count: 149).flatMap(\.self)
    return frame(.headers, stream: stream, HPACK.ok + block)
      + (1...6).flatMap {
        frame(.continuation, flags: $0 == 6 ? HTTP2Frame.endOfHeaders : 0, stream: stream, block)
      }
  }

  /// Headers of 16 KB: one long field and 12,000 references to it.
  package static let packedHeaders = HTTP2Behaviour("packed-headers") { stream, _ in
    head(stream, packed(12_000))
  }

  /// Packed headers with 30 references, then silence.
  package static let silentInPackedHeaders = HTTP2Behaviour("silent-in-packed-headers") { stream, _ in
    frame(.headers, stream: stream, packed(30))
  }

  /// Half a header block, then silence.
  package static let silentInHeaders = HTTP2Behaviour("silent-in-headers") { stream, _ in
    frame(.headers, stream: stream, photoHead())
  }

  package static let silentInBody = HTTP2Behaviour("silent-in-body") { stream, _ in head(stream, photoHead())
  }

  package static let setting = frame(.settings, [0, 1, 0, 0, 16, 0])
  private static let ping = frame(.ping, Array("whatever".utf8))
  private static let filler = HPACK.field("x-more", String(repeating: "a", count: 100))

  private static func packed(_ count: Int) -> [UInt8] {
    HPACK.ok + HPACK.field("x-long", String(repeating: "a", count: 3_900), isKept: true)
      + Array(repeating: HPACK.newest, count: count).flatMap(\.self)
  }

  private static func flood(
    _ name: String, reads: Bool = true,
    behind beginning: @escaping @Sendable (UInt32) -> [UInt8] = { head($0, photoHead()) },
    _ unit: @escaping @Sendable (UInt32) -> [UInt8]
  ) -> HTTP2Behaviour {
    HTTP2Behaviour(name, reads: reads, flood: unit) { stream, _ in beginning(stream) }
  }
}
