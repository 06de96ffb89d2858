import Glibc
import Queueing
import TestSupport
import Testing

/// Several workers on one queue file.
@Suite("Several workers", .timeLimit(.minutes(3)))
struct SharingTests {
  @Test("they share the work, and none of it is done twice", arguments: [2, 4])
  func sharing(workers: Int) async throws {
    try await withWorkplace { place in
      let errands = Errand.photos(0..<200, place.server, late: .milliseconds(100))
      try await place.publish(errands)
      let runs = try await run(Array(repeating: [:], count: workers), at: place)
      #expect(runs.allSatisfy { $0.termination == .exited(0) })
      let done = runs.map { $0.standardError.split(separator: "\n").count }
      #expect(done.reduce(0, +) == 200)
      #expect(done.allSatisfy { $0 > 0 }, "\(done)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("when one is killed, the others finish its work")
  func oneKilled() async throws {
    try await withWorkplace { place in
      let errands = Errand.photos(0..<120, place.server, late: .milliseconds(100))
      try await place.publish(errands)
      let fault = ["PUSH_ENRICHER_FAULT": "enriched", "PUSH_ENRICHER_FAULT_SKIPS": "6"]
      let runs = try await run([fault, [:], [:]], at: place)
      #expect(runs.map(\.termination) == [.signalled(SIGKILL), .exited(0), .exited(0)])
      expectEach(of: errands, once: try await place.contents("enriched"))
      #expect(try await place.contents("incoming").isEmpty)
    }
  }

  /// Runs a worker in each of these environments, all at once, until the queue is empty.
  private func run(_ environments: [[String: String]], at place: Workplace) async throws -> [Run] {
    try await withThrowingTaskGroup(of: (Int, Run).self) { group in
      for (number, environment) in environments.enumerated() {
        group.addTask {
          (number, try await place.work(["--until-empty", "--concurrency", "4"], environment: environment))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
