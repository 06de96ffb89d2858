import TestSupport
import Testing

@testable import Sniffing

/// Bodies that are made to mislead, to cost time, or to crash.
@Suite struct HostileTests {
  private let sniffer: Sniffer

  init() throws { sniffer = try Sniffer.shared.get() }

  @Test func emptyBody() {
    #expect(sniffer.examine([]) == .rejected(name: "empty file"))
    #expect(sniffer.examine([], isComplete: false) == .undecided(needs: 4096))
  }

  /// An early verdict is that of the whole body. A truncated body always gets one at its end.
  @Test(arguments: FixtureTests.expected.keys.sorted())
  func truncated(_ name: String) throws {
    let bytes = try Files.read("\(Fixtures.media)/\(name)")
    let lengths = Array(0..<min(200, bytes.count)) + Array(stride(from: 200, to: bytes.count, by: 97))
    for length in lengths {
      let stump = Array(bytes.prefix(length))
      if case .undecided = sniffer.examine(stump) { Issue.record("no verdict on a body of \(length) bytes") }
      switch sniffer.examine(stump, isComplete: false) {
      case .undecided(let needs): #expect(needs > length)
      case let verdict: #expect(verdict == FixtureTests.expected[name], "after \(length) bytes")
      }
    }
  }

  /// Random bytes after and within real headers, the same ones on every run.
  @Test(arguments: FixtureTests.expected.keys.sorted())
  func mutated(_ name: String) throws {
    var random = SeededGenerator(seed: 0x5eed)
    let bytes = try Files.read("\(Fixtures.media)/\(name)")
    for _ in 0..<300 {
      var body = bytes
      for _ in 0..<Int.random(in: 1...24, using: &random) {
        let limit = Bool.random(using: &random) ? min(body.count, 128) : body.count
        body[Int.random(in: 0..<limit, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let arrival = sniffer.follow(body, step: 4096)
      #expect(arrival.verdict == sniffer.examine(body))
      #expect(arrival.alwaysProgressed && arrival.bytesRead <= 131_072)
    }
  }

  @Test func randomBytesAreNothing() {
    var random = SeededGenerator(seed: 1)
    for length in stride(from: 1, to: 30_000, by: 113) {
      let body = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      if case .rejected = sniffer.examine(body) { continue }
      Issue.record("\(length) random bytes were not refused")
    }
  }

  /// Each body asks for as much work as possible.
  @Test(arguments: Attack.all)
  func costsLittle(_ attack: Attack) {
    let arrival = sniffer.follow(attack.bytes, step: 4096)
    #expect(arrival.verdict == .rejected(name: attack.name))
    #expect(arrival.verdict == sniffer.examine(attack.bytes))
    #expect(arrival.bytesRead <= 131_072)
    #expect(arrival.questions <= 40)
    #expect(arrival.alwaysProgressed)
  }

  /// Looking for the next start code from the beginning whenever bytes arrive would read gigabytes.
  @Test func noSecondStartCode() {
    let body = [0, 0, 1, 0xba] + [UInt8](repeating: 0xff, count: 2_000_000)
    let arrival = sniffer.follow(body, step: 4096)
    #expect(arrival.verdict != .accepted(.mpeg))
    #expect(arrival.bytesRead <= 1_000_000)
  }

  /// A source that breaks its promise gets a verdict on the bytes that it provided.
  @Test(arguments: [0, -1, 3])
  func shortRead(_ count: Int) {
    var examination = MediaExamination()
    let verdict = examination.proceed(available: 10_000, isComplete: true, with: sniffer) { _, span in
      for place in 0..<max(count, 0) { span[place] = 0x20 }
      return count
    }
    #expect(verdict == .rejected(name: count > 0 ? "plain text" : "empty file"))
  }
}

/// A hostile body, and its expected verdict.
struct Attack: Sendable, CustomStringConvertible {
  let description: String
  let name: String
  let bytes: [UInt8]

  private init(_ description: String, name: String, _ bytes: [UInt8]) {
    self.description = description
    self.name = name
    self.bytes = bytes
  }

  static let all = [
    Attack(
      "a hundred thousand boxes", name: "MP4 without tracks", fileType + repeated(box("free", []), 100_000)),
    Attack(
      "boxes a page apart", name: "MP4 without tracks",
      fileType + repeated(box("free", [UInt8](repeating: 0, count: 4090)), 100)),
    Attack(
      "boxes a page apart, then an index of pieces", name: "MP4 without tracks",
      fileType + repeated(box("free", [UInt8](repeating: 0, count: 4090)), 20)
        + box("moov", repeated(box("trak", [UInt8](repeating: 0, count: 100)), 1000))),
    Attack(
      "tracks within tracks", name: "MP4 without tracks",
      fileType + [0, 0, 0x9c, 0x48] + "moov".utf8 + repeated([0, 0, 0x7f, 0xff] + "trak".utf8, 5000)),
    Attack(
      "an index of 1 GB", name: "MP4 without its whole index",
      fileType + [0x3f, 0xff, 0xff, 0xff] + "moov".utf8 + filled(0, 90_000)),
    Attack(
      "boxes that fill many windows, then some far apart", name: "MP4 without tracks",
      fileType + repeated(box("free", [UInt8](repeating: 0, count: 24)), 1000)
        + repeated(box("free", [UInt8](repeating: 0, count: 9000)), 100)),
    Attack(
      "far apart after a long index", name: "MP4 without media data",
      fileType
        + box(
          "moov",
          repeated(box("trak", box("mdia", box("hdlr", filled(0, 8) + "soun".utf8) + filled(0, 100))), 300))
        + repeated(box("free", [UInt8](repeating: 0, count: 9000)), 100)),
    Attack(
      "a box of 2^63", name: "MP4 without tracks", fileType + [0, 0, 0, 1] + "mdat".utf8 + filled(0x7f, 40)),
    Attack(
      "a box of 2^64", name: "MP4 without tracks", fileType + [0, 0, 0, 1] + "mdat".utf8 + filled(0xff, 40)),
    Attack(
      "a box shorter than its header", name: "MP4 without tracks", fileType + [0, 0, 0, 3] + "moov".utf8),
    Attack(
      "an index to the end", name: "MP4 without its whole index",
      fileType + [0, 0, 0, 0] + "moov".utf8 + filled(0, 90_000)),
    Attack(
      "a chain of empty tags", name: "ID3 tag without audio",
      repeated(Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0], 20_000)),
    Attack(
      "tags a page apart, then sound that breaks off everywhere", name: "ID3 tag without audio",
      repeated(Array("ID3".utf8) + [4, 0, 0, 0, 0, 0x20, 0] + filled(0, 4096), 8)
        + repeated([0xff, 0xfb, 0x90, 0x00], 30_000)),
    Attack(
      "a tag of 256 MB", name: "ID3 tag without audio",
      Array("ID3".utf8) + [4, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f] + filled(0xff, 50_000)),
    Attack(
      "half a frame again and again", name: "damaged or unusual audio/mpeg",
      repeated([0xff, 0xfb, 0x90, 0x00], 5000)),
    Attack(
      "chunks a page apart", name: "WAVE header without sound",
      Array("RIFF....WAVE".utf8) + repeated(Array("junk".utf8) + [0xf8, 0x0f, 0, 0] + filled(1, 4088), 100)),
    Attack(
      "a tag of APE of 4 GB", name: "APE tag without audio",
      Array("APETAGEX".utf8) + filled(0xff, 50_000)),
    Attack(
      "a tag and as many zeros as are skipped, then half a frame again and again",
      name: "ID3 tag without audio",
      Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0] + filled(0, 780_000)
        + repeated([0xff, 0xfb, 0x90, 0x00], 5000)),
    Attack("two megabytes of zeros", name: "unknown data", filled(0, 2_000_000)),
    Attack(
      "a bitmap with sides without end", name: "unknown data", [0, 0] + filled(0x80, 65_536)),
    Attack("newlines", name: "plain text", filled(0x0a, 65_536)),
    Attack("a comment that never ends", name: "plain text", Array("<!--".utf8) + filled(0x2d, 65_536)),
    Attack("zeros", name: "unknown data", filled(0, 65_536)),
    Attack("ones", name: "unknown data", filled(0xff, 65_536)),
  ]

  private static let fileType = box("ftyp", Array("isom".utf8) + [0, 0, 2, 0])

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let size = UInt32(content.count + 8)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(type.utf8) + content
  }

  private static func filled(_ byte: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  private static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
    Array(repeatElement(bytes, count: count).joined())
  }
}
