import Glibc
import Queueing
import TestSupport
import Testing

/// After many payloads, a worker has no more memory, descriptors and threads than after the first.
/// `PUSH_ENRICHER_ENRICHMENTS=10000` sets the number of payloads.
@Suite("Endurance of a worker", .timeLimit(.minutes(10)))
struct EnduranceTests {
  private static let count =
    unsafe getenv("PUSH_ENRICHER_ENRICHMENTS").flatMap { Int(unsafe String(cString: $0)) } ?? 1_000

  private struct Possessions {
    let privateBytes, descriptors, threads: Int

    init(of worker: RunningWorker) throws {
      privateBytes = try #require(ProcessStatus.privateBytes(of: worker.process))
      descriptors = Files.names(in: "/proc/\(worker.process)/fd").count
      threads = Files.names(in: "/proc/\(worker.process)/task").count
    }
  }

  @Test("memory, descriptors and threads of a worker do not grow with the number of payloads")
  func possessions() async throws {
    try await withWorkplace(.sqlite) { place in
      let early = Self.count / 10
      let errands = Errand.mixed(Self.count, place.server)
      try await place.publish(errands.prefix(early))
      let run = try await place.work([], limit: .seconds(500)) { worker in
        try await Self.wait(for: early, at: place)
        let before = try Possessions(of: worker)
        for start in stride(from: early, to: Self.count, by: 500) {
          let end = min(start + 500, Self.count)
          try await place.publish(errands[start..<end])
          try await Self.wait(for: end, at: place)
        }
        let now = try Possessions(of: worker)
        // Up to 64 connections are kept for later payloads. The heap takes a while to reach its
        // final size, so leaks per payload show only with many payloads.
        #expect(now.privateBytes <= before.privateBytes + 4_000_000)
        #expect(now.descriptors <= before.descriptors + 68)
        #expect(now.threads <= before.threads + 16)
        print("after \(early): \(before), after \(Self.count): \(now)")
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  /// Waits four minutes at most.
  private static func wait(for count: Int, at place: Workplace) async throws {
    for _ in 0..<1_200 {
      if try await place.contents("enriched").count >= count { return }
      try await Task.sleep(for: .milliseconds(200))
    }
    Issue.record("there are fewer than \(count) results after four minutes")
  }
}
