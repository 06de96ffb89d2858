import Sniffing
import TestSupport
import Testing

/// An image and its expected verdict.
struct ImageFile: Sendable, CustomTestStringConvertible {
  let name: String
  let verdict: Examination
  /// Where its picture starts, in bytes. A program in another language has found it.
  let start: Int
  let facts: MediaFacts

  var testDescription: String { name }

  var bytes: [UInt8] { get throws { try Files.read("\(Fixtures.images)/\(name)") } }

  static func jpeg(
    _ name: String, _ start: Int, _ width: Int = 32, _ height: Int = 24, _ warning: MediaWarning? = nil
  ) -> ImageFile {
    let facts = MediaFacts(width: width, height: height, warning: warning)
    return ImageFile(name: name, verdict: .accepted(.jpeg), start: start, facts: facts)
  }

  static func png(
    _ name: String, _ start: Int, _ width: Int = 32, _ height: Int = 24, frames: Int? = nil,
    _ warning: MediaWarning? = nil
  ) -> ImageFile {
    let facts = MediaFacts(width: width, height: height, frames: frames, warning: warning)
    return ImageFile(name: name, verdict: .accepted(.png), start: start, facts: facts)
  }

  static func gif(
    _ name: String, _ start: Int, _ width: Int = 32, _ height: Int = 24, frames: Int = 1
  ) -> ImageFile {
    let facts = MediaFacts(width: width, height: height, frames: frames)
    return ImageFile(name: name, verdict: .accepted(.gif), start: start, facts: facts)
  }

  static func none(_ name: String, _ instead: String, _ facts: MediaFacts = MediaFacts()) -> ImageFile {
    ImageFile(name: name, verdict: .rejected(name: instead), start: 0, facts: facts)
  }

  /// `Fixtures/images/make` says how each was made.
  static let all: [ImageFile] = [
    .jpeg("plain.jpg", 623), .jpeg("grey.jpg", 328), .jpeg("cmyk.jpg", 341, 32, 24, .cmyk),
    .jpeg("progressive.jpg", 241),
    .jpeg("padded-segments.jpg", 632), .jpeg("restarts.jpg", 629),
    .jpeg("65535-squared.jpg", 623, 65_535, 65_535),
    .jpeg("65535-squared-behind-metadata.jpg", 20_633, 65_535, 65_535),
    .none("lossless-0.jpg", "lossless JPEG image"), .none("lossless-1.jpg", "lossless JPEG image"),
    .none("lossless-2.jpg", "lossless JPEG image"), .none("lossless-16.jpg", "lossless JPEG image"),
    .none("jpeg-ls-grey.jpg", "JPEG-LS image"), .none("jpeg-ls-color.jpg", "JPEG-LS image"),
    .none("jpeg-ls-near.jpg", "JPEG-LS image"), .none("jpeg-ls-spiff.jpg", "JPEG-LS image"),
    .none("arithmetic.jpg", "arithmetic-coded JPEG image"),
    .none("arithmetic-grey.jpg", "arithmetic-coded JPEG image"),
    .none("arithmetic-progressive.jpg", "arithmetic-coded JPEG image"),
    .none("12-bit-grey.jpg", "12-bit JPEG image"), .none("12-bit-color.jpg", "12-bit JPEG image"),
    .none("12-bit-metadata.jpg", "12-bit JPEG image"),
    .none("zero-high.jpg", "JPEG image of 32 × 0 pixels"),

    .png("grey.png", 41), .png("palette.png", 101), .png("alpha.png", 41),
    .png("16-bit.png", 41, 32, 24, frames: nil, .sixteenBit),
    .png("small-chunks.png", 53), .png("xcode.png", 57), .png("five-frames.png", 99, frames: 5),
    .png("large-frames.png", 61, 3_000, 3_000, frames: 6), .png("60000-squared.png", 41, 60_000, 60_000),
    .png("2-31.png", 41, 1 << 31, 1 << 31), .png("20001-wide.png", 41, 20_001, 1),
    .png("no-frames.png", 61), .none("two-starts.jpg", "JPEG image without content"),
    .none("no-palette.png", "PNG image without content", MediaFacts(width: 32, height: 24)),
    .none("two-headers.png", "PNG image without content", MediaFacts(width: 32, height: 24)),
    .none("zero.png", "PNG image of 0 × 0 pixels"),

    .gif("still.gif", 793), .gif("eight-colors.gif", 655), .gif("five-frames.gif", 820, frames: 5),
    .gif("larger-than-screen.gif", 793), .gif("large-frames.gif", 31, 3_000, 3_000, frames: 6),
    .gif("65535-squared.gif", 793, 65_535, 65_535),
    .gif("65535-squared-picture.gif", 793, 65_535, 65_535),
    .none("zero.gif", "GIF image of 0 × 0 pixels"),
  ]
}

@Suite("Images of all kinds")
struct ImageTests {
  private let sniffer: Sniffer

  init() throws { sniffer = try Sniffer.shared.get() }

  @Test func everyFileIsExpected() {
    #expect(
      Files.names(in: Fixtures.images).filter { $0 != "make" } == ImageFile.all.map(\.name).sorted())
  }

  @Test("are accepted if iOS shows them, with their size", arguments: ImageFile.all)
  func verdict(_ image: ImageFile) throws {
    let bytes = try image.bytes
    #expect(sniffer.examine(bytes) == image.verdict)
    for step in [64, 1_000, 4_096] { #expect(sniffer.follow(bytes, step: step).verdict == image.verdict) }
    #expect(sniffer.facts(of: bytes) == image.facts)
  }

  @Test("are accepted from the first byte of the picture on", arguments: ImageFile.all)
  func prefixes(_ image: ImageFile) throws {
    let bytes = try image.bytes
    let places = (0..<200).map { bytes.count * $0 / 200 } + Array(max(0, image.start - 40)...image.start + 2)
    for count in places {
      let verdict = sniffer.examine(Array(bytes.prefix(count)))
      if case .accepted = verdict {
        #expect(verdict == image.verdict && count > image.start, "\(count) bytes")
      } else {
        #expect(verdict == image.verdict || count <= image.start || image.start == 0, "\(count) bytes")
      }
    }
  }

  @Test("of the media that are for iOS are accepted by the same rule")
  func media() throws {
    let starts = [
      "photo.jpg": (328, MediaFacts(width: 320, height: 240)),
      "photo.png": (41, MediaFacts(width: 64, height: 48, warning: .sixteenBit)),
      "animation.png": (120, MediaFacts(width: 32, height: 32, frames: 2)),
      "animation.gif": (100, MediaFacts(width: 64, height: 48, frames: 2)),
    ]
    for (name, (start, facts)) in starts {
      let bytes = try Files.read("\(Fixtures.media)/\(name)")
      #expect(sniffer.facts(of: bytes) == facts)
      for count in (0..<200).map({ bytes.count * $0 / 200 }) + [start, start + 1] {
        if case .accepted = sniffer.examine(Array(bytes.prefix(count))) {
          #expect(count > start, "\(name)")
        } else {
          #expect(count <= start, "\(name)")
        }
      }
    }
  }

  /// The sniffer reads as far into the file as the format needs, and no byte further.
  @Test("show their size as soon as it arrives, even behind long metadata")
  func early() throws {
    let bytes = try Files.read("\(Fixtures.images)/65535-squared-behind-metadata.jpg")
    var examination = MediaExamination()
    let body = RecordedBody(bytes)
    func proceed(_ count: Int) -> Examination {
      examination.proceed(available: count, isComplete: false, with: sniffer) { body.read(at: $0, into: &$1) }
    }
    #expect(proceed(4_095) == .undecided(needs: 4_096))
    #expect(proceed(4_096) == .accepted(.jpeg))
    #expect(proceed(20_479) == .accepted(.jpeg))
    #expect(examination.facts == MediaFacts())
    #expect(proceed(20_480) == .accepted(.jpeg))
    #expect(examination.facts == MediaFacts(width: 65_535, height: 65_535))
    #expect(body.bytesRead < 16_384)
  }

  @Test("count their frames as they arrive") func frames() throws {
    let bytes = try Files.read("\(Fixtures.images)/five-frames.gif")
    var examination = MediaExamination()
    let body = RecordedBody(bytes)
    _ = examination.proceed(available: 4_096, isComplete: false, with: sniffer) {
      body.read(at: $0, into: &$1)
    }
    #expect(examination.facts.frames == 3)
    _ = examination.proceed(available: bytes.count, isComplete: true, with: sniffer) {
      body.read(at: $0, into: &$1)
    }
    #expect(examination.facts.frames == 5)
  }
}
