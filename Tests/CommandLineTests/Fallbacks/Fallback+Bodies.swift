import Enriching
import Misbehaving
import TestSupport

/// Bodies that iOS does not accept, or that are incomplete.
extension Fallback {
  static let ofBodies: [Fallback] = [
    .server(
      .bodyTooLarge, "6 MB of MP3 by Content-Length, of which 8 KB ever come",
      saying: "MP3 audio of 6 MB: audio may be up to 5 MB",
      .stalling(.padded("sound.mp3", as: "audio/mpeg", to: 6_000_000), after: 8_192)),
    .server(
      .bodyTooLarge, "6 MB of MP3 in chunks", saying: "MP3 audio of more than 5 MB: audio may be up to 5 MB",
      .serve(.padded("sound.mp3", as: "audio/mpeg", to: 6_000_000, framing: .chunked(16_384)))),
    .server(
      .bodyTooLarge, "a JPEG without end",
      saying: "a JPEG image of more than 10 MB: an image may be up to 10 MB",
      .endlessBody(first: (try? Files.read("\(Fixtures.media)/photo.jpg")) ?? [], as: "image/jpeg")),
    .server(
      .bodyTooLarge, "100 MB announced", saying: "100 MB are announced, but iOS accepts at most 50 MB",
      .hugeLength(as: "video/mp4")
    ),
    .server(.bodyTooLarge, "more than --limits", .serve(.photo), ["--limits", "image=7kB"]),
    .server(.tooManyPixels, "a PNG of 60,000 by 60,000", saying: "60000 × 60000", image("60000-squared.png")),
    .server(.tooManyPixels, "a PNG with the largest size", saying: "2147483648", image("2-31.png")),
    .server(.tooManyPixels, "a line of 20,001", saying: "a side may have 20,000", image("20001-wide.png")),
    .server(.tooManyPixels, "a JPEG of 65,535 by 65,535", image("65535-squared.jpg")),
    .server(.tooManyPixels, "the same behind metadata", image("65535-squared-behind-metadata.jpg")),
    .server(.tooManyPixels, "a GIF of 65,535 by 65,535", image("65535-squared.gif")),
    .server(.tooManyPixels, "a picture larger than its GIF", image("65535-squared-picture.gif")),
    .server(.tooManyPixels, "a GIF with many frames", saying: "in 6 frames", image("large-frames.gif")),
    .server(.tooManyPixels, "a PNG with many frames", saying: "in 6 frames", image("large-frames.png")),
    .server(.tooManyPixels, "more than --limits", .serve(.photo), ["--limits", "pixels=76.7k"]),
    .server(.tooManyPixels, "longer than --limits", .serve(.photo), ["--limits", "side=319"]),
    .server(.typeUnsupported, "a PNG of no size", saying: "PNG image of 0 × 0 pixels", image("zero.png")),
    .server(
      .typeUnsupported, "an arithmetic-coded JPEG", saying: "arithmetic-coded", image("arithmetic.jpg")),
    .server(.bodyTruncated, "half a JPEG", saying: "3666 of 7333 bytes", .truncated(.photo)),
    .server(.bodyTruncated, "a reset halfway", .resetHalfway(.photo)),
    .server(.encodingNotAllowed, "a gzip bomb", saying: "'gzip'", .gzipBomb(as: "image/jpeg")),
    .server(.typeUnsupported, "nothing", .serve(Response(as: "image/jpeg"))),
    .server(.typeUnsupported, "204", .serve(.noContent)),
    .server(.typeUnsupported, "a page with status 200", saying: "HTML page", .serve(page)),
    .server(.typeUnsupported, "zeros without end", .endlessBody(first: [], as: "image/jpeg")),
  ]

  private static func image(_ name: String) -> Behaviour {
    .serve(Response(.file("\(Fixtures.images)/\(name)"), as: "image/jpeg"))
  }

  private static let page = Response(.file("\(Fixtures.media)/page.html"), as: "image/jpeg")
}
