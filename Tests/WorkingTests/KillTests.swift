import Glibc
import Queueing
import TestSupport
import Testing

/// Workers that are killed at any time, and what the next worker finds.
@Suite("Kills", .timeLimit(.minutes(30)))
struct KillTests {
  /// `PUSH_ENRICHER_KILLS` sets another number.
  private static let kills =
    unsafe getenv("PUSH_ENRICHER_KILLS").flatMap { Int(unsafe String(cString: $0)) } ?? 24

  /// Messages that wait from the start. A worker may take from a long queue in a different way.
  private static let backlog = 600
  /// Messages that arrive before each kill: enough to reach each step.
  private static let batch = 12

  private static let steps = ["received", "enriched", "settled"]

  @Test(
    "workers that are killed at random and at every step lose nothing, and publish nothing twice if that can be avoided",
    arguments: BrokerKind.products)
  func ledger(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.mixed(Self.backlog + Self.kills * Self.batch, place.server)
      try await place.publish(errands.prefix(Self.backlog))
      var reached: [String: Int] = [:]
      for kill in 0..<Self.kills {
        try await place.publish(errands.dropFirst(Self.backlog + kill * Self.batch).prefix(Self.batch))
        let step = kill.isMultiple(of: 2) ? Self.steps[kill / 2 % Self.steps.count] : nil
        if try await hasDied(place, at: step), let step { reached[step, default: 0] += 1 }
      }
      // Otherwise the workers died for another reason.
      #expect(Self.steps.allSatisfy { reached[$0, default: 0] > 0 }, "\(reached)")
      try await place.finish(errands)

      let results = try await place.contents("enriched")
      let dead = try await place.contents("dead-letters")
      #expect(try await place.isEmpty("incoming"))
      // If a result was published twice, one of the two may come from the poisoned message.
      let poison = results.filter { $0.header("enrich-reason") == "poison" }
      let poisoned = Set(poison.map(\.id))
      expectEach(
        of: errands.filter { !poisoned.contains($0.message.id) },
        in: results.filter { !poisoned.contains($0.id) }, of: kind)
      if kind.settlesAtOnce { #expect(results.count == errands.count) }
      let originals = Dictionary(errands.map { ($0.message.id, $0) }) { first, _ in first }
      for result in poison { #expect(result.body == originals[result.id]?.message.body) }
      let expected = errands.filter { $0.isDeadLetter || poisoned.contains($0.message.id) }.map(\.message.id)
      #expect(Set(dead.map(\.id)) == Set(expected))
      if kind.settlesAtOnce { #expect(dead.count == expected.count) }
    }
  }

  /// Runs a worker until it dies: at the step if it gets there, otherwise by a kill from outside, a
  /// moment after its start.
  /// - Returns: whether it reached the step.
  private func hasDied(_ place: Workplace, at step: String?) async throws -> Bool {
    var environment: [String: String] = [:]
    if let step {
      environment["PUSH_ENRICHER_FAULT"] = step
      environment["PUSH_ENRICHER_FAULT_SKIPS"] = "\(Int.random(in: 0..<(step == "received" ? 2 : 8)))"
    }
    let limit = step == nil ? Duration.milliseconds(Int.random(in: 20...400)) : .seconds(60)
    do {
      let run = try await place.work(["--concurrency", "8"], environment: environment, limit: limit)
      #expect(run.termination == .signalled(SIGKILL))
      return true
    } catch Command.Failure.tooLong {
      return false
    }
  }

  @Test(
    "a message that kills its worker three times goes out byte for byte", arguments: BrokerKind.products,
    ["received", "enriched"])
  func poison(kind: BrokerKind, step: String) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.photos(0..<1, place.server, late: .zero)
      try await place.publish(errands)
      for _ in 0..<3 {
        let run = try await place.work([], environment: ["PUSH_ENRICHER_FAULT": step])
        #expect(run.termination == .signalled(SIGKILL))
      }
      try await place.finish(errands)
      let expected = [
        Errand(0, String(decoding: errands[0].message.body, as: UTF8.self), .unmodified("poison"))
      ]
      expectEach(of: expected, once: try await place.contents("enriched"))
      expectEach(of: expected, once: try await place.contents("dead-letters"))
    }
  }

  @Test("a message that killed two workers is enriched by the third", arguments: BrokerKind.products)
  func almostPoison(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.photos(0..<1, place.server, late: .zero)
      try await place.publish(errands)
      for _ in 0..<2 {
        let run = try await place.work([], environment: ["PUSH_ENRICHER_FAULT": "enriched"])
        #expect(run.termination == .signalled(SIGKILL))
      }
      try await place.finish(errands)
      expectEach(of: errands, once: try await place.contents("enriched"))
      #expect(try await place.isEmpty("dead-letters"))
    }
  }
}
