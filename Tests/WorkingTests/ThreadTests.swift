import Glibc
import Misbehaving
import TestSupport
import Testing

@Suite("Threads of a worker", .timeLimit(.minutes(5)))
struct ThreadTests {
  @Test("none of them preempts another thread when it wakes up")
  func turns() async throws {
    try await withWorkplace(.sqlite) { place in
      let url = place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
      try await place.publish([Errand(0, naming: url, .enriched("public.jpeg"))])
      let run = try await place.work([]) { worker in
        try await place.wait(for: 1, in: "enriched")
        let threads = Files.names(in: "/proc/\(worker.process)/task").compactMap { pid_t($0) }
        #expect(threads.count > 3)
        // SCHED_BATCH of sched(7), unless the process runs with another policy than the usual one;
        // -1 if a thread has ended meanwhile.
        let own = sched_getscheduler(0)
        let policies = Set(threads.map { sched_getscheduler($0) }).subtracting([-1])
        #expect(policies == [own == SCHED_OTHER ? 3 : own])
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
    }
  }
}
