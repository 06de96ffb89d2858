import Sniffing
import TestSupport
import Testing

/// Whether a file shows that it is complete.
@Suite("Ends of files")
struct FileEndTests {
  static let showing = [
    "photo.jpg", "photo.png", "animation.png", "animation.gif", "sound.wav", "sound.aiff", "clip.avi",
    "clip.mp4", "clip-fragmented.mp4", "clip-index-at-end.mp4", "sound.m4a", "sound-named.mp4",
    "sound.aifc", "sound-rf64.wav", "clip.m4v",
  ]

  private static func end(of bytes: [UInt8]) -> FileEnd {
    let body = RecordedBody(bytes)
    let end = FileEnd.examine(size: bytes.count) { body.read(at: $0, into: &$1) }
    // Nothing is read twice, except for the first bytes and those at the borders of pieces.
    #expect(body.bytesRead <= 2 * bytes.count + 8_192)
    return end
  }

  private static func media(_ name: String) throws -> [UInt8] { try Files.read("\(Fixtures.media)/\(name)") }

  @Test("a complete file shows its end", arguments: showing)
  func whole(name: String) throws {
    #expect(Self.end(of: try Self.media(name)) == .shown)
  }

  @Test("a file that is cut anywhere, or has one more byte, does not show its end", arguments: showing)
  func cut(name: String) throws {
    let bytes = try Self.media(name)
    for count in Array(stride(from: 0, to: bytes.count, by: 7)) + Array(bytes.count - 64..<bytes.count) {
      let end = Self.end(of: Array(bytes.prefix(count)))
      #expect(end == .missing || count < 8 && end == .unknown, "\(count) of \(bytes.count) bytes")
    }
    #expect(Self.end(of: bytes + [0]) == .missing)
  }

  @Test(
    "these formats have no end of their own",
    arguments: ["sound.mp3", "sound-long-tag.mp3", "clip.mpg", "clip.m1v", "clip.m2v", "page.html"])
  func endless(name: String) throws {
    #expect(Self.end(of: try Self.media(name)) == .unknown)
  }

  @Test("fragments of a movie could continue, unless their index follows")
  func fragments() throws {
    let bytes = try Self.media("clip-fragmented.mp4")
    // The last four bytes are the length of the index (ISO/IEC 14496-12, 8.8.11).
    let index = bytes.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    #expect(Self.end(of: Array(bytes.dropLast(index))) == .missing)
  }

  @Test("a JPEG that is cut after its thumbnail, or after something like one, is incomplete")
  func thumbnail() throws {
    let photo = try Self.media("photo.jpg")
    let thumbnail: [UInt8] = [0xff, 0xd8, 0xff, 0xd9]
    let segment: [UInt8] = [0xff, 0xe1, 0, UInt8(2 + thumbnail.count)] + thumbnail
    let bytes = photo.prefix(2) + segment + photo.dropFirst(2)
    #expect(Self.end(of: Array(bytes)) == .shown)
    #expect(Self.end(of: Array(bytes.prefix(2 + segment.count))) == .missing)
  }

  @Test("a movie may begin with free space", arguments: ["free", "skip", "wide"])
  func space(type: String) throws {
    let bytes = try Files.read("\(Fixtures.movies)/space-\(type).mp4")
    #expect(Self.end(of: bytes) == .shown)
    #expect(Self.end(of: Array(bytes.dropLast())) == .missing)
  }

  @Test("a JPEG with padding between its segments shows its end") func padding() throws {
    let bytes = try Files.read("\(Fixtures.images)/padded-segments.jpg")
    #expect(Self.end(of: bytes) == .shown)
    #expect(Self.end(of: Array(bytes.dropLast())) == .missing)
    // After the first segment.
    let start = 4 + (Int(bytes[4]) << 8 | Int(bytes[5]))
    let padding = [UInt8](repeating: 0, count: 100_000)
    #expect(Self.end(of: bytes.prefix(start) + padding + bytes.dropFirst(start)) == .missing)
  }

  @Test("a GIF that is cut after a byte like its trailer is incomplete")
  func trailer() throws {
    let gif = try Self.media("animation.gif")
    // A comment (89a, 24) that contains the trailer and the terminator of blocks.
    let comment: [UInt8] = [0x21, 0xfe, 2, 0x00, 0x3b, 0]
    let bytes = gif.dropLast() + comment + [0x3b]
    #expect(Self.end(of: Array(bytes)) == .shown)
    #expect(Self.end(of: Array(bytes.dropLast(2))) == .missing)
  }

  @Test("lengths that lead nowhere, or in circles, do no harm", arguments: [0, 7, 0xffff_ffff] as [UInt32])
  func hostile(length: UInt32) {
    let number = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    let ftyp: [UInt8] = [0, 0, 0, 8] + Array("ftyp".utf8)
    let files = [
      ftyp + number + Array("moov".utf8), Array("RIFF".utf8) + number.reversed() + Array("WAVE".utf8),
      Array("FORM".utf8) + number + Array("AIFF".utf8),
      [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + number + Array("IHDR".utf8),
      [0xff, 0xd8] + Array(repeating: 0xff, count: 10_000), [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xd8],
      ftyp + [0, 0, 0, 1] + Array("moov".utf8) + number + number,
    ]
    for file in files { #expect(Self.end(of: file) == .missing, "\(file.prefix(20))") }
  }
}
