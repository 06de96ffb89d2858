import Decrypting
import Sniffing
import Storing
import TestSupport
import Testing

@testable import Enriching
@testable import Fetching
@testable import Notifications

@Suite("MediaIntake")
struct MediaIntakeTests {
  @Test("the whole body is committed, with the extension of its type", arguments: [1, 7, 4_096, 16_384])
  func whole(piece: Int) async throws {
    try await withIntake { intake, folder in
      let bytes = try Files.read("\(Fixtures.media)/clip.avi")
      #expect(begin(intake, length: bytes.count) == .more)
      #expect(feed(bytes, to: intake, by: piece) == bytes.count)
      #expect(intake.format == .avi)
      #expect(folder.names == [])
      let committed = try intake.commit()
      let file = committed.file
      #expect(committed.format == .avi)
      #expect(file.size == bytes.count)
      #expect(folder.names == [file.name])
      #expect(file.name == "\(file.sha256).avi")
      #expect(try Files.read(folder.path(of: file.name)) == bytes)
    }
  }

  @Test("a body that is shorter than the sniffer wants is judged at its end") func short()
    async throws
  {
    try await withIntake { intake, folder in
      let bytes = try Files.read("\(Fixtures.media)/sound.mp3")
      #expect(begin(intake, length: nil) == .more)
      #expect(feed(bytes, to: intake, by: 1_000) == bytes.count)
      #expect(intake.format == nil)
      #expect(try intake.commit().format == .mp3)
    }
  }

  @Test("a wrong type is refused after the first 4 KB") func wrongType() async throws {
    try await withIntake { intake, folder in
      let bytes = try Files.read("\(Fixtures.media)/photo.webp") + [UInt8](repeating: 0, count: 100_000)
      #expect(begin(intake, length: bytes.count) == .more)
      #expect(feed(bytes, to: intake, by: 1_024) == 4_096)
      #expect(intake.failure == Failure.unsupported("WebP image"))
      #expect(throws: Failure.self) { try intake.commit() }
      #expect(folder.names == [])
    }
  }

  @Test("a body whose announced length is too large is refused") func announced() async throws {
    try await withIntake { intake, folder in
      let bytes = try Files.read("\(Fixtures.media)/photo.jpg")
      #expect(begin(intake, length: 10_000_001) == .more)
      #expect(feed(bytes, to: intake, by: 4_096) == 4_096)
      #expect(
        intake.failure
          == Failure(.bodyTooLarge, "a JPEG image of 10,000,001 bytes: an image may be up to 10 MB"))
      #expect(folder.names == [])
    }
  }

  @Test("a picture with too many pixels is refused as soon as its size arrives") func pixels() async throws {
    try await withIntake { intake, folder in
      let bytes = try Files.read("\(Fixtures.images)/65535-squared-behind-metadata.jpg")
      #expect(begin(intake, length: 9_000_000) == .more)
      #expect(feed(bytes + [UInt8](repeating: 0, count: 100_000), to: intake, by: 1_024) == 20_480)
      #expect(intake.format == .jpeg)
      #expect(
        intake.failure
          == Failure(
            .tooManyPixels, "a JPEG image of 65535 × 65535 pixels: a side may have 20,000",
            advice: "scale it down to 20,000 pixels a side; --limits side= sets how many are accepted"))
      #expect(folder.names == [])
    }
  }

  @Test("a stub is refused at its end, and what is found out of others is kept") func facts() async throws {
    try await withIntake { intake, _ in
      #expect(begin(intake, length: 4) == .more)
      #expect(feed([0xff, 0xd8, 0xff, 0xe0], to: intake, by: 4) == 4)
      #expect(throws: Failure.unsupported("JPEG image without content")) { try intake.commit() }
      #expect(begin(intake, length: nil) == .more)
      _ = feed(try Files.read("\(Fixtures.images)/five-frames.gif"), to: intake, by: 4_096)
      _ = try intake.commit()
      #expect(intake.facts == MediaFacts(width: 32, height: 24, frames: 5))
    }
  }

  @Test("a stub that ends with its connection is refused, too") func stub() async throws {
    try await withIntake { intake, folder in
      #expect(begin(intake, length: nil) == .more)
      #expect(feed([0, 0, 1, 0xba] + Array("<script>".utf8), to: intake, by: 12) == 12)
      #expect(intake.showsEnd())
      #expect(throws: Failure.unsupported("MPEG movie without content")) { try intake.commit() }
      #expect(folder.names == [])
    }
  }

  @Test(
    "a short file of a wrong type needs no end of its own",
    arguments: [
      ("\(Fixtures.media)/photo.heic", "HEIC image"),
      ("\(Fixtures.images)/jpeg-ls-grey.jpg", "JPEG-LS image"),
    ])
  func shortWrongType(file: String, name: String) async throws {
    try await withIntake { intake, _ in
      let bytes = try Files.read(file)
      #expect(begin(intake, length: nil) == .more)
      #expect(feed(bytes, to: intake, by: 1_000) == bytes.count)
      #expect(intake.showsEnd())
      #expect(throws: Failure.unsupported(name)) { try intake.commit() }
    }
  }

  @Test("a short file of an accepted type needs its end") func cut() async throws {
    try await withIntake { intake, _ in
      let bytes = try Files.read("\(Fixtures.media)/photo.jpg").prefix(2_000)
      #expect(begin(intake, length: nil) == .more)
      #expect(feed(Array(bytes), to: intake, by: 1_000) == bytes.count)
      #expect(!intake.showsEnd())
    }
  }

  @Test("a retry starts from the beginning") func again() async throws {
    try await withIntake { intake, folder in
      let bytes = try Files.read("\(Fixtures.media)/photo.jpg")
      #expect(begin(intake, length: bytes.count) == .more)
      #expect(feed(Array(bytes.prefix(5_000)), to: intake, by: 1_000) == 5_000)
      #expect(begin(intake, length: bytes.count) == .more)
      #expect(intake.format == nil)
      #expect(feed(bytes, to: intake, by: 1_000) == bytes.count)
      let file = try intake.commit().file
      #expect(try Files.read(folder.path(of: file.name)) == bytes)
    }
  }

  @Test("without a body, nothing can be committed") func nothing() async throws {
    try await withIntake { intake, folder in
      #expect(throws: Failure.unsupported("empty file")) { try intake.commit() }
      #expect(begin(intake, length: 0) == .more)
      #expect(throws: Failure.unsupported("empty file")) { try intake.commit() }
      #expect(folder.names == [])
    }
  }

  @Test("a body is refused if the process has no memory left") func memory() async throws {
    let memory = MemoryMonitor(total: 1)
    try await withIntake(memory: memory) { intake, folder in
      let bytes = try Files.read("\(Fixtures.media)/photo.jpg")
      #expect(begin(intake, length: nil) == .more)
      #expect(feed(bytes, to: intake, by: 1_024) == 1_024)
      #expect(intake.failure?.reason == .memoryExceeded)
      #expect(folder.names == [])
    }
  }

  @Test("takes no medium that is announced to be too large to be stored in time") func late() async throws {
    try await withTemporaryDirectory { folder in
      let failure = Failure.noTimeToStore(101, .milliseconds(2_345), isStoreOutage: false)
      #expect(
        failure.detail
          == "there was no time left to store 101 bytes: going by recent uploads, that takes 2.3 s")
      let intake = MediaIntake(
        spools: try DirectoryStore(path: folder.path).spools, sniffer: try Sniffer(), limits: SizeLimits(),
        memory: MemoryMonitor(total: .max), lateness: { $0 > 100 ? failure : nil })
      #expect(begin(intake, length: 100) == .more)
      #expect(begin(intake, length: nil) == .more)
      #expect(begin(intake, length: 101) == .stop)
      #expect(intake.failure == failure)
    }
  }

  @Test("a failed medium keeps its findings, but none of its body") func failed()
    async throws
  {
    try await withIntake { _, folder in
      let reference = MediaReference(
        url: "https://media.example/photo.jpg", identifier: "media", dialect: "", path: "")
      let progress = MediaProgress(MediaRequest(reference, KeyRing()), recordsPaths: false)
      weak var kept: MediaIntake?
      do {
        let intake = MediaIntake(
          spools: try DirectoryStore(path: folder.path).spools, sniffer: try Sniffer(), limits: SizeLimits(),
          memory: MemoryMonitor(total: .max))
        progress.follow(intake)
        #expect(begin(intake, length: nil) == .more)
        _ = feed(try Files.read("\(Fixtures.media)/photo.jpg"), to: intake, by: 4_096)
        kept = intake
      }
      #expect(kept != nil)
      progress.recordFailure(Failure(.bodyTruncated, "it ended early"))
      #expect(kept == nil)
      let report = progress.report
      #expect(report.failure?.reason == .bodyTruncated)
      #expect(report.format == .jpeg)
      #expect(report.limit == 10_000_000)
    }
  }

  private func withIntake(
    memory: MemoryMonitor = MemoryMonitor(total: .max),
    _ body: (MediaIntake, TemporaryDirectory) throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let intake = MediaIntake(
        spools: try DirectoryStore(path: folder.path).spools, sniffer: try Sniffer(), limits: SizeLimits(),
        memory: memory)
      try body(intake, folder)
    }
  }

  private func begin(_ intake: MediaIntake, length: Int?) -> BodyDecision {
    var head = ResponseHead()
    for line in ["HTTP/1.1 200"] + (length.map { ["Content-Length: \($0)"] } ?? []) + [""] {
      #expect(throws: Never.self) { try head.read(Array(line.utf8).span) }
    }
    return intake.begin(head)
  }

  /// - Returns: the number of bytes that the intake had received when it wanted no more.
  private func feed(_ bytes: [UInt8], to intake: MediaIntake, by size: Int) -> Int {
    var start = 0
    while start < bytes.count {
      let end = min(start + size, bytes.count)
      let decision = intake.receive(bytes[start..<end].span)
      start = end
      if decision == .stop { break }
    }
    return start
  }
}
