import Sniffing
import TestSupport
import Testing

@Suite struct FixtureTests {
  /// Every file of the folder, so that none is added without saying what it is.
  static let expected: [String: Examination] = [
    "photo.jpg": .accepted(.jpeg),
    "photo.png": .accepted(.png),
    "animation.gif": .accepted(.gif),
    "sound.aiff": .accepted(.aiff),
    "sound.wav": .accepted(.wav),
    "sound.mp3": .accepted(.mp3),
    "sound-long-tag.mp3": .accepted(.mp3),
    "sound.m4a": .accepted(.m4a),
    "sound-named.mp4": .accepted(.m4a),
    "clip.mp4": .accepted(.mp4),
    "clip-index-at-end.mp4": .accepted(.mp4),
    "clip.mpg": .accepted(.mpeg),
    "clip.m2v": .accepted(.mpeg2),
    "clip.avi": .accepted(.avi),
    "photo.webp": .rejected(name: "WebP image"),
    "webp-named.gif": .rejected(name: "WebP image"),
    "photo.bmp": .rejected(name: "BMP image"),
    "photo.tiff": .rejected(name: "TIFF image"),
    "drawing.svg": .rejected(name: "SVG image"),
    "page.html": .rejected(name: "HTML page"),
    "page-named.jpg": .rejected(name: "HTML page"),
    "data.json": .rejected(name: "JSON document"),
    "document.pdf": .rejected(name: "PDF document"),
    "sound.ogg": .rejected(name: "Ogg audio"),
    "sound.flac": .rejected(name: "FLAC audio"),
    "clip.webm": .rejected(name: "WebM video"),
    "clip.mkv": .rejected(name: "Matroska video"),
    "clip.mov": .rejected(name: "QuickTime movie"),
  ]

  @Test func everyFileIsExpected() throws {
    #expect(Files.names(in: Fixtures.media).filter { $0 != "make" } == Self.expected.keys.sorted())
  }

  @Test(arguments: expected.keys.sorted())
  func isRecognised(_ name: String) throws {
    let sniffer = try Sniffer.shared.get()
    let bytes = try Files.read("\(Fixtures.media)/\(name)")
    #expect(sniffer.examine(bytes) == Self.expected[name])
  }

  /// The first 4 KB are enough for all but those that hide what they are further back.
  @Test(arguments: expected.keys.sorted())
  func isRecognisedEarly(_ name: String) throws {
    let arrival = try Sniffer.shared.get().follow(Files.read("\(Fixtures.media)/\(name)"), step: 4096)
    #expect(arrival.verdict == Self.expected[name])
    let isHidden = ["sound-long-tag.mp3", "clip-index-at-end.mp4"].contains(name)
    #expect(isHidden ? arrival.questions == 2 : arrival.decidedAt <= 4096)
  }
}
