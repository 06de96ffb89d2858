import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// A worker with a host that does not answer in half of its payloads.
@Suite("Fairness of a worker", .timeLimit(.minutes(5)))
struct FairnessTests {
  /// The payloads of the silent host are too few to fill the line of waiting payloads.
  @Test("a worker enriches the other half while it waits for a host that does not answer")
  func half() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withHostileServer { dead in
        let photo = place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
        let errands = (0..<60).map { number in
          number % 2 == 0
            ? Errand(number, naming: dead.url(.silent), .unanswered)
            : Errand(number, naming: photo, .enriched("public.jpeg"))
        }
        try await place.publish(errands)
        let healthy = errands.filter { $0.fate != .unanswered }
        let run = try await place.work(
          ["--concurrency", "8", "--allow-port", "\(dead.port)"]
        ) { worker in
          try await place.wait(for: healthy)
          // The test does not wait 30 s for the payloads that are left.
          #expect(await eventually { kill(worker.process, SIGTERM) != 0 })
        }
        #expect(run.termination == .exited(130))
        let results = try await place.contents("enriched")
        let ids = Set(results.map(\.id))
        #expect(Set(healthy.map(\.message.id)).isSubset(of: ids))
        expectEach(of: errands.filter { ids.contains($0.message.id) }, once: results)
      }
    }
  }
}
