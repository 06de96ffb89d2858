/// What an `HTTP2Server` does to a request: a row for each way in which HTTP/2 can be turned against a
/// client.
///
/// Streams that never end stop after `Behaviour.endlessBound` bytes.
package enum HTTP2Behaviour: Equatable, Sendable {
  /// These frames, and then perhaps the end of the connection.
  case script(HTTP2Script)

  /// Answers with a photo, in frames of a kilobyte.
  case photo
  /// The same, and once the client has it, SETTINGS without end.
  case photoBeforeSettings
  /// SETTINGS, each of which is to be acknowledged.
  case settings
  /// PING, each of which is to be answered.
  case pings
  /// The same, by a server that reads none of the responses.
  case unreadPings
  /// RST_STREAM again and again, after the headers of an answer.
  case resets
  /// Each stream is refused, so that it may be tried again.
  case refusals
  /// A header block that goes on in CONTINUATION after CONTINUATION.
  case continuation
  /// Headers of 112 KB in seven frames.
  case longHeaders
  /// 16 KB that hold one field and 12,000 references to it.
  case packedHeaders
  /// 103 after 103.
  case interimResponses
  /// DATA without data.
  case emptyData
  /// Frames of a kind that is to be ignored.
  case unknownFrames
  /// The same with 30 references, and then nothing more.
  case silentInPackedHeaders
  /// Half a header block and nothing more.
  case silentInHeaders
  /// An answer that begins, and nothing more.
  case silentInBody

  /// In the paths of URLs, and for people.
  package var name: String { if case .script(let script) = self { script.name } else { "\(self)" } }

  /// What is sent first.
  func beginning(on stream: UInt32, photo: [UInt8]) -> [UInt8] {
    HTTP2Frame(.settings).bytes + answer(on: stream, photo: photo).flatMap { $0.bytes }
  }

  /// What is sent over and over then; nil for nothing.
  func flood(on stream: UInt32) -> [UInt8]? {
    switch self {
    case .settings, .photoBeforeSettings: HTTP2Frame(.settings, [0, 1, 0, 0, 16, 0]).bytes
    case .pings, .unreadPings: HTTP2Frame(.ping, Array("whatever".utf8)).bytes
    case .resets: HTTP2Frame(.reset, stream: stream, [0, 0, 0, 8]).bytes
    case .continuation: HTTP2Frame(.continuation, stream: stream, Self.filler).bytes
    case .interimResponses:
      HTTP2Frame(.headers, flags: HTTP2Frame.endOfHeaders, stream: stream, HPACK.status(103) + Self.filler)
        .bytes
    case .emptyData: HTTP2Frame(.data, stream: stream).bytes
    case .unknownFrames: HTTP2Frame(kind: 0xbb, Array(repeating: 0, count: 100)).bytes
    default: nil
    }
  }

  /// Whether it floods only clients that have answered its PING.
  var waitsForPong: Bool { self == .photoBeforeSettings }

  /// Whether it reads on once it has been asked.
  var reads: Bool { self != .unreadPings }

  private static let filler = HPACK.field("x-more", String(repeating: "a", count: 100))
  private static let head =
    HPACK.ok + HPACK.field("content-type", "image/jpeg")

  /// One long field, and as many references to it.
  private static func packed(_ count: Int) -> [UInt8] {
    HPACK.ok + HPACK.field("x-long", String(repeating: "a", count: 3_900), isKept: true)
      + Array(repeating: HPACK.newest, count: count).joined()
  }

  private func answer(on stream: UInt32, photo: [UInt8]) -> [HTTP2Frame] {
    func headers(_ block: [UInt8], isAll: Bool = true) -> HTTP2Frame {
      HTTP2Frame(.headers, flags: isAll ? HTTP2Frame.endOfHeaders : 0, stream: stream, block)
    }
    switch self {
    case .photo, .photoBeforeSettings:
      return [headers(Self.head)]
        + stride(from: 0, to: photo.count, by: 1_024).map {
          HTTP2Frame(.data, stream: stream, Array(photo[$0..<min($0 + 1_024, photo.count)]))
        } + [HTTP2Frame(.data, flags: HTTP2Frame.endOfStream, stream: stream)]
        + (waitsForPong ? [HTTP2Frame(.ping, Array("received".utf8))] : [])
    case .settings, .pings, .unreadPings, .resets, .emptyData, .unknownFrames, .silentInBody:
      return [headers(Self.head)]
    case .interimResponses, .script: return []
    case .refusals: return [HTTP2Frame(.reset, stream: stream, [0, 0, 0, 7])]
    case .continuation, .silentInHeaders: return [headers(Self.head, isAll: false)]
    case .longHeaders:
      let block = Array(repeating: Self.filler, count: 149).joined()
      return [headers(HPACK.ok + block, isAll: false)]
        + (1...6).map {
          HTTP2Frame(
            .continuation, flags: $0 == 6 ? HTTP2Frame.endOfHeaders : 0, stream: stream, Array(block))
        }
    case .packedHeaders: return [headers(Self.packed(12_000))]
    case .silentInPackedHeaders: return [headers(Self.packed(30), isAll: false)]
    }
  }
}
