import Enriching
import Misbehaving
import TestSupport

/// Bodies that iOS does not accept, or that are incomplete.
extension Fallback {
  static let ofBodies: [Fallback] = [
    .server(
      .bodyTooLarge, "6 MB of MP3 by Content-Length, of which 8 KB ever come",
      saying: "MP3 audio of 6000000 bytes",
      .stalling(.padded("sound.mp3", as: "audio/mpeg", to: 6_000_000), after: 8_192)),
    .server(
      .bodyTooLarge, "6 MB of MP3 in chunks", saying: "audio may have 5000000",
      .serve(.padded("sound.mp3", as: "audio/mpeg", to: 6_000_000, framing: .chunked(16_384)))),
    .server(
      .bodyTooLarge, "a JPEG without end", saying: "image may have 10000000",
      .endlessBody(first: (try? Files.read("\(Fixtures.media)/photo.jpg")) ?? [], as: "image/jpeg")),
    .server(
      .bodyTooLarge, "100 MB announced", saying: "100000000 bytes are announced", .hugeLength(as: "video/mp4")
    ),
    .server(.bodyTooLarge, "more than --limits", .serve(.photo), ["--limits", "image=7kB"]),
    .server(.bodyTruncated, "half a JPEG", saying: "3666 of 7333 bytes", .truncated(.photo)),
    .server(.bodyTruncated, "a reset halfway", .resetHalfway(.photo)),
    .server(.encodingNotAllowed, "a gzip bomb", saying: "'gzip'", .gzipBomb(as: "image/jpeg")),
    .server(.typeUnsupported, "nothing", .serve(Response(as: "image/jpeg"))),
    .server(.typeUnsupported, "204", .serve(.noContent)),
    .server(.typeUnsupported, "a page with status 200", saying: "HTML page", .serve(page)),
    .server(.typeUnsupported, "zeros without end", .endlessBody(first: [], as: "image/jpeg")),
  ]

  private static let page = Response(.file("\(Fixtures.media)/page.html"), as: "image/jpeg")
}
