import TestSupport
import Testing

/// What a worker takes with all of its downloads under way over TLS, as the kernel counts it.
@Suite("Memory of a worker", .timeLimit(.minutes(5)))
struct MemoryTests {
  /// Three videos among them, each as large as iOS takes it.
  @Test("150 payloads over https, 64 at once, within 12 MB", arguments: BrokerKind.products)
  func https(kind: BrokerKind) async throws {
    try await withTemporaryDirectory { media in
      try await Self.makeMedia(in: media)
      try await withNginx(serving: media.path) { nginx in
        try await withWorkplace(kind) { place in
          let errands = (0..<150).map { number in
            let (name, type) = number % 50 == 20 ? ("clip.mp4", "public.mpeg-4") : Self.small[number % 3]
            return Errand(number, naming: "\(nginx.httpsOrigin)/\(name)", .enriched(type))
          }
          try await place.publish(errands)
          let work = try await place.sampledWork([
            "--until-empty", "--ca-file", nginx.caFile, "--allow-port", "\(nginx.httpsPort)",
          ])
          #expect(work.termination == .exited(0), "\(work.standardError)")
          expectEach(of: errands, once: try await place.contents("enriched"))
          #expect(try #require(work.peakPrivateBytes) <= 12_000_000)
        }
      }
    }
  }

  private static let small = [
    ("photo.jpg", "public.jpeg"), ("sound.wav", "com.microsoft.waveform-audio"), ("photo.png", "public.png"),
  ]

  private static func makeMedia(in folder: TemporaryDirectory) async throws {
    for (name, _) in small {
      try folder.write(try Files.read("\(Fixtures.media)/\(name)"), to: name)
    }
    let head = try Files.read("\(Fixtures.media)/clip.mp4")
    let rest = 50_000_000 - head.count
    let box = (0..<4).map { UInt8(truncatingIfNeeded: rest >> (24 - 8 * $0)) } + Array("free".utf8)
    let path = try folder.write(head + box, to: "clip.mp4")
    // Zeros to the end, which take no room on the disk.
    try await Command("truncate").runSuccessfully(["-s", "50000000", path])
  }
}
