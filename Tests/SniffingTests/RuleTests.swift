import Testing

@testable import Sniffing

/// The rules one by one, tested with handwritten headers.
@Suite struct RuleTests {
  private let sniffer: Sniffer

  init() throws { sniffer = try Sniffer.shared.get() }

  static let chunkFiles: [(String, Examination)] = [
    ("RIFF....AVI ", .accepted(.avi)),
    ("FORM....AIFF", .accepted(.aiff)),
    ("FORM....8SVX", .rejected(name: "8SVX audio")),
    ("RIFF....WEBP", .rejected(name: "WebP image")),
    ("RIFX....WAVE", .rejected(name: "RIFX file (big-endian RIFF)")),
    ("BW64....WAVE", .rejected(name: "BW64 audio (WAV over 4 GB)")),
    ("RIFF....RMID", .rejected(name: "MIDI music in RIFF")),
  ]

  @Test(arguments: chunkFiles)
  func chunkFile(_ header: String, _ verdict: Examination) {
    // These twelve bytes decide, and no fewer.
    #expect(sniffer.examine(Array(header.utf8), isComplete: false) == verdict)
    #expect(sniffer.examine(Array(header.utf8.dropLast()), isComplete: false) == .undecided(needs: 4096))
  }

  static let brands: [(String, Examination)] = [
    ("qt  ", .rejected(name: "QuickTime movie")), ("3gp4", .rejected(name: "3GPP video")),
    ("3g2a", .rejected(name: "3GPP video")), ("M4P ", .rejected(name: "M4P protected audio")),
    ("heic", .rejected(name: "HEIC image")), ("mif1", .rejected(name: "HEIF image")),
    ("avif", .rejected(name: "AVIF image")), ("avis", .rejected(name: "AVIF image sequence")),
    ("crx ", .rejected(name: "Canon CR3 raw image")), ("jxl ", .rejected(name: "JPEG XL image")),
  ]

  @Test(arguments: brands)
  func brandThatDecides(_ brand: String, _ verdict: Examination) {
    let start = [0, 0, 0, 16] + Array("ftyp\(brand)".utf8)
    #expect(sniffer.examine(start, isComplete: false) == verdict)
    // The same with a size of 64 bits, and with free space in front.
    let long = [0, 0, 0, 1] + Array("ftyp".utf8) + zeros(7) + [24] + Array(brand.utf8)
    #expect(sniffer.examine(long, isComplete: false) == verdict)
    #expect(sniffer.examine(box("free", zeros(9)) + start, isComplete: false) == verdict)
  }

  @Test(arguments: ["styp", "moof", "sidx", "emsg"])
  func fragment(_ type: String) {
    #expect(sniffer.examine([0, 0, 0, 24] + Array(type.utf8)) == .rejected(name: "MP4 fragment"))
  }

  @Test(arguments: ["moov", "wide", "pnot", "mdat", "free", "skip"])
  func classicMovie(_ type: String) {
    #expect(sniffer.examine([0, 0, 0, 8] + Array(type.utf8)) == .rejected(name: "QuickTime movie"))
  }

  static let tracks: [([String], Examination)] = [
    (["vide"], .accepted(.mp4)), (["soun"], .accepted(.m4a)), (["soun", "vide"], .accepted(.mp4)),
    (["text", "soun", "hint"], .accepted(.m4a)), (["text"], .rejected(name: "MP4 without tracks")),
    ([], .rejected(name: "MP4 without tracks")),
  ]

  @Test(arguments: tracks, ["isom", "mp42", "dash", "MSNV", "senv", "M4A ", "M4A\0", "M4B ", "M4V ", "M4VH"])
  func tracksDecide(_ tracks: ([String], Examination), _ brand: String) {
    let index = tracks.0.flatMap { track($0) }
    // A handler of the index itself, such as iTunes writes for its tags, is not a track.
    let tags = box("meta", box("hdlr", zeros(8) + "vide".utf8))
    let bytes = box("ftyp", Array(brand.utf8) + zeros(4)) + box("moov", index + tags) + box("mdat", zeros(99))
    #expect(sniffer.examine(bytes) == tracks.1)
  }

  @Test func longBoxesAreWalked() {
    let media: [UInt8] = [0, 0, 0, 1] + "mdat".utf8 + zeros(6) + [0x27, 0x10] + zeros(9984)
    let bytes = box("ftyp", Array("isom".utf8)) + media + box("moov", track("vide"))
    #expect(sniffer.examine(bytes) == .accepted(.mp4))
  }

  static let streams: [([UInt8], Examination)] = [
    ([0, 0, 1, 0xba, 0x44], .accepted(.mpeg)),
    ([0, 0, 1, 0xba, 0x21], .accepted(.mpeg)),
    ([0, 0, 1, 0xb3] + sequence + [0, 0, 1, 0xb5], .accepted(.mpeg2)),
    ([0, 0, 1, 0xb3] + sequence + [0, 0, 0, 0, 1, 0xb5], .accepted(.mpeg2)),
    ([0, 0, 1, 0xb3] + sequence + [0, 0, 1, 0xb8], .accepted(.mpeg)),
    // A file whose first box has 442 bytes starts like a program stream.
    ([0, 0, 1, 0xba] + Array("ftypM4P ".utf8), .rejected(name: "M4P protected audio")),
    ([0, 0, 1, 0xba] + Array("moov".utf8), .rejected(name: "QuickTime movie")),
    ([0, 0, 1, 0xb0], .rejected(name: "MPEG-4 Part 2 video without a container")),
    ([0xff, 0xd8, 0xff, 0xe0, 0x01, 0x00], .accepted(.jpeg)),
    ([0xff, 0xd8, 0xff, 0xf7], .rejected(name: "JPEG-LS image")),
  ]

  @Test(arguments: streams)
  func streamStart(_ bytes: [UInt8], _ verdict: Examination) {
    #expect(sniffer.examine(bytes + zeros(8), isComplete: false) == verdict)
  }

  @Test func transportStreams() {
    let packet = [0x47] + zeros(187)
    let verdict = Examination.rejected(name: "MPEG transport stream")
    #expect(sniffer.examine(packet + packet + packet) == verdict)
    let stamped = zeros(4) + packet
    #expect(sniffer.examine(stamped + stamped + stamped) == verdict)
    #expect(sniffer.examine(packet + packet + zeros(188)) != verdict)
  }

  static let sounds: [Sample] = [
    Sample("two frames", frame + frame, .accepted(.mp3)),
    Sample("one frame", frame, .accepted(.mp3)),
    Sample("one frame, cut", frame.dropLast(), .rejected(name: "damaged or unusual audio/mpeg")),
    Sample("one frame and others", frame + zeros(9), .rejected(name: "damaged or unusual audio/mpeg")),
    Sample("one frame and ID3v1", frame + Array("TAG".utf8) + zeros(125), .accepted(.mp3)),
    Sample("one frame of Layer II", layerTwo, .rejected(name: "MP2 audio (MPEG Layer II)")),
    Sample("one frame behind a tag", tag + frame, .accepted(.mp3)),
    Sample("Layer II", layerTwo + layerTwo, .rejected(name: "MP2 audio (MPEG Layer II)")),
    Sample("ADTS", adts + adts, .rejected(name: "AAC audio in ADTS")),
    Sample("tag", tag + frame + frame, .accepted(.mp3)),
    Sample("two tags", tag + tag + frame + frame, .accepted(.mp3)),
    Sample("padding behind the tag", tag + zeros(5000) + frame + frame, .accepted(.mp3)),
    Sample("much padding behind the tag", tag + zeros(70_000) + frame + frame, .accepted(.mp3)),
    Sample("padding, then one frame", tag + zeros(300_000) + frame, .accepted(.mp3)),
    Sample(
      "padding beyond reach", tag + zeros(1_200_000) + frame + frame,
      .rejected(name: "ID3 tag without audio")),
    Sample("APE tag", ape(header: zeros(200_000)) + frame + frame, .accepted(.mp3)),
    Sample(
      "APE tag, zeros, ID3 tag", ape(header: zeros(9)) + zeros(99) + tag + frame + frame, .accepted(.mp3)),
    Sample("APE tag alone", ape(header: zeros(100)), .rejected(name: "APE tag without audio")),
    Sample("many zeros", zeros(200_000) + frame + frame, .accepted(.mp3)),
    Sample("zeros and a tag", zeros(4_097) + tag + frame, .accepted(.mp3)),
    Sample(
      "zeros, half a frame, sound", zeros(5_000) + frame.suffix(99) + frame + frame + frame + frame,
      .accepted(.mp3)),
    Sample("tag alone", tag, .rejected(name: "ID3 tag without audio")),
    Sample("FLAC behind a tag", tag + Array("fLaC".utf8), .rejected(name: "FLAC audio behind an ID3 tag")),
    Sample(
      "ADTS behind a tag", tag + adts + adts, .rejected(name: "AAC audio in ADTS behind an ID3 tag")),
    Sample("HLS", tagOfHLS + adts + adts, .rejected(name: "HLS AAC behind an ID3 tag")),
    Sample("MP3 of HLS", tagOfHLS + frame + frame, .accepted(.mp3)),
    Sample("tag with an impossible length", impossibleTag + frame + frame, .accepted(.mp3)),
    Sample("tag with a footer", footedTag + frame + frame, .accepted(.mp3)),
    Sample("junk in front", zeros(333) + frame + frame + frame + frame, .accepted(.mp3)),
    Sample("junk and two frames to the end", junk + frame + frame, .accepted(.mp3)),
    Sample(
      "junk and three frames to a tag", junk + frame + frame + frame + Array("TAG".utf8) + zeros(125),
      .accepted(.mp3)),
    Sample("junk and the header of an encoder", junk + info + zeros(5), .accepted(.mp3)),
    Sample("junk and too little", junk + frame + frame + frame + zeros(9), .rejected(name: "unknown data")),
    Sample("junk and one frame", junk + frame, .rejected(name: "unknown data")),
    Sample("padding of LAME", lame + frame + frame + frame + frame, .accepted(.mp3)),
    Sample(
      "data", Array("{\"a\":1}\n".utf8) + frame + frame + frame + frame,
      .rejected(name: "text in front of other data")),
    Sample(
      "a length", Array("1668:".utf8) + frame + frame + frame + frame,
      .rejected(name: "text in front of other data")),
    Sample(
      "words", Array("these are no frames".utf8) + [0] + frame + frame + frame + frame,
      .rejected(name: "text in front of other data")),
  ]

  @Test(arguments: sounds)
  func sound(_ sample: Sample) {
    #expect(sniffer.examine(sample.bytes) == sample.verdict)
    #expect(sniffer.follow(sample.bytes, step: 500).verdict == sample.verdict)
  }

  @Test func unreadableDatabase() {
    #expect(throws: SnifferError.databaseUnreadable(reason: "could not find any valid magic files!")) {
      _ = try MagicCookie(database: "/nowhere")
    }
  }

  /// 352 by 240 pixels at 25 frames per second, without quantizer tables.
  private static let sequence: [UInt8] = [0x16, 0x00, 0xf0, 0x13, 0xff, 0xff, 0xe0, 0x10]
  /// 128 kbit/s at 44.1 kHz.
  private static let frame: [UInt8] = [0xff, 0xfb, 0x90, 0x00] + zeros(413)
  private static let junk: [UInt8] = [7] + (0..<332).map { UInt8(truncatingIfNeeded: $0 * $0 % 251) }
  /// A frame with the header that LAME and FFmpeg write, for two channels.
  private static let info: [UInt8] = [0xff, 0xfb, 0x90, 0x00] + zeros(32) + Array("Info".utf8) + zeros(377)
  private static let lame: [UInt8] = Array("AME3.100".utf8) + [UInt8](repeating: 0x55, count: 90)
  private static let tagOfHLS: [UInt8] =
    Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 63] + Array("PRIV".utf8) + [0, 0, 0, 53, 0, 0]
    + Array("com.apple.streaming.transportStreamTimestamp\0".utf8) + zeros(8)
  private static func ape(header content: [UInt8]) -> [UInt8] {
    let size = UInt32(content.count + 32)
    let length = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: size >> $0) }
    return Array("APETAGEX".utf8) + [0xd0, 7, 0, 0] + length + zeros(16) + content + zeros(32)
  }
  private static let layerTwo: [UInt8] = [0xff, 0xfd, 0x80, 0x00] + zeros(413)
  private static let adts: [UInt8] = [0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc] + zeros(9)
  private static let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 72] + zeros(200)
  private static let impossibleTag: [UInt8] =
    Array("ID3".utf8) + [3, 0, 0, 0xff, 0xff, 0xff, 0xff] + zeros(50)
  private static let footedTag: [UInt8] =
    Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 5] + zeros(5) + Array("3DI".utf8) + zeros(7)
}

/// Bytes that are too many to print, and the expected verdict.
struct Sample: Sendable, CustomStringConvertible {
  let description: String
  let bytes: [UInt8]
  let verdict: Examination

  init(_ description: String, _ bytes: [UInt8], _ verdict: Examination) {
    self.description = description
    self.bytes = bytes
    self.verdict = verdict
  }
}

private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

/// A track with one sample.
private func track(_ handler: String) -> [UInt8] {
  let samples = box("stts", zeros(7) + [1, 0, 0, 0, 1, 0, 0, 0, 1])
  let media = box("hdlr", zeros(8) + handler.utf8 + zeros(13)) + box("minf", box("stbl", samples))
  return box("trak", box("tkhd", zeros(20)) + box("mdia", media))
}

private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
  let size = UInt32(content.count + 8)
  return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(type.utf8) + content
}
