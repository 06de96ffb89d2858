import Sniffing
import TestSupport
import Testing

@Suite struct FixtureTests {
  /// Every file of the folder, so that each new file needs an entry.
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
    "animation.png": .accepted(.png),
    "clip.m1v": .accepted(.mpeg),
    "clip.vob": .accepted(.mpeg),
    "clip-fragmented.mp4": .accepted(.mp4),
    "photo.webp": .rejected(name: "WebP image"),
    "webp-named.gif": .rejected(name: "WebP image"),
    "photo.bmp": .rejected(name: "BMP image"),
    "photo.tiff": .rejected(name: "TIFF image"),
    "drawing.svg": .rejected(name: "SVG image"),
    "page.html": .rejected(name: "HTML page titled “404 Not Found”"),
    "page-named.jpg": .rejected(name: "HTML page titled “404 Not Found”"),
    "data.json": .rejected(name: "JSON error document with the code “404”"),
    "document.pdf": .rejected(name: "PDF document"),
    "sound.ogg": .rejected(name: "Ogg audio"),
    "sound.flac": .rejected(name: "FLAC audio"),
    "clip.webm": .rejected(name: "WebM video"),
    "clip.mkv": .rejected(name: "Matroska video"),
    "clip.mov": .rejected(name: "QuickTime movie"),
    "sound.aac": .rejected(name: "AAC audio in ADTS"),
    "sound.ac3": .rejected(name: "AC-3 audio"),
    "sound.amr": .rejected(name: "AMR audio"),
    "sound.mp2": .rejected(name: "MP2 audio (MPEG Layer II)"),
    "sound.m4b": .accepted(.m4a),
    "sound.caf": .rejected(name: "CAF audio"),
    "sound.wv": .rejected(name: "WavPack audio"),
    "sound.tta": .rejected(name: "True Audio"),
    "sound.w64": .rejected(name: "Wave64 audio"),
    "sound-rf64.wav": .accepted(.wav),
    "sound-rifx.wav": .rejected(name: "RIFX file (big-endian RIFF)"),
    "sound.aifc": .accepted(.aiff),
    "sound.au": .rejected(name: "AU audio"),
    "sound.8svx": .rejected(name: "8SVX audio"),
    "sound.mid": .rejected(name: "MIDI music"),
    "photo.avif": .rejected(name: "AVIF image"),
    "photo.heic": .rejected(name: "HEIC image"),
    "photo.ico": .rejected(name: "Windows icon"),
    "photo.jp2": .rejected(name: "JPEG 2000 image"),
    "photo.jls": .rejected(name: "JPEG-LS image"),
    "photo.jxl": .rejected(name: "JPEG XL image"),
    "photo.qoi": .rejected(name: "QOI image"),
    "photo.ppm": .rejected(name: "PPM image"),
    "clip.3gp": .rejected(name: "3GPP video"),
    "clip.flv": .rejected(name: "Flash video (FLV)"),
    "clip.m4v": .accepted(.mp4),
    "clip.ts": .rejected(name: "MPEG transport stream"),
    "clip.m2ts": .rejected(name: "MPEG transport stream"),
    "clip.wmv": .rejected(name: "Windows Media (ASF)"),
    "document.ps": .rejected(name: "PostScript document"),
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

  /// The first 4 KB are enough, except for files that reveal their type later.
  @Test(arguments: expected.keys.sorted())
  func isRecognisedEarly(_ name: String) throws {
    let arrival = try Sniffer.shared.get().follow(Files.read("\(Fixtures.media)/\(name)"), step: 4096)
    #expect(arrival.verdict == Self.expected[name])
    let isHidden = ["sound-long-tag.mp3", "clip-index-at-end.mp4"].contains(name)
    #expect(isHidden ? arrival.questions == 2 : arrival.decidedAt <= 4096)
  }
}
