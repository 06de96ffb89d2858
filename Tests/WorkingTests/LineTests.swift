import Misbehaving
import Queueing
import TestSupport
import Testing

/// `-`: payloads through pipes.
@Suite("Lines", .timeLimit(.minutes(5)))
struct LineTests {
  @Test("results come out in the order of the lines, unmodified ones byte for byte")
  func order() async throws {
    try await withWorkplace(.sqlite) { place in
      let slow = place.server.url(.late(by: .milliseconds(400), .serve(.file("photo.jpg", "image/jpeg"))))
      let errands = Errand.mixed(120, place.server).enumerated().map { number, errand in
        number.isMultiple(of: 17) ? Errand(number, naming: slow, .enriched("public.jpeg")) : errand
      }
      let lines = errands.map { $0.message.body + Array("\n".utf8) }
      let run = try await place.work([], from: "-", to: "-", input: Array(lines.joined()))
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = run.standardOutput.split(separator: UInt8(ascii: "\n")).map { Array($0) }
      #expect(results.count == errands.count)
      for (result, errand) in zip(results, errands) {
        if case .enriched = errand.fate {
          #expect(result != errand.message.body)
          #expect(isIntact(result, of: errand.message.body))
        } else {
          #expect(result == errand.message.body)
        }
      }
      #expect(
        try await place.contents("dead-letters").map(\.body)
          == errands.filter(\.isDeadLetter).map(\.message.body))
    }
  }

  @Test("if the reader of its lines goes away, a worker reports that and fails")
  func brokenPipe() async throws {
    try await withWorkplace(.sqlite) { place in
      let lines = large(200).map { $0.message.body + Array("\n".utf8) }
      let run = try await headOf(
        ["work", "--from", "-", "--to", "-"] + place.options, input: Array(lines.joined()))
      #expect(run.termination == .exited(69))
      let last = run.told.last ?? ""
      #expect(last.hasPrefix("push-enricher: the reader of stdout has gone; "), "\(last)")
      #expect(last.hasSuffix(" read before are no longer in any queue"), "\(last)")
    }
  }

  @Test(
    "messages for a reader that goes away stay in their queue", arguments: BrokerKind.products,
    ["work", "dequeue"])
  func brokenPipeOfQueue(kind: BrokerKind, command: String) async throws {
    try await withWorkplace(kind) { place in
      let errands = large(200)
      try await place.publish(errands)
      let options = command == "work" ? ["--to", "-"] + place.options : []
      let run = try await headOf([command, "--from", place.url("incoming")] + options)
      #expect(run.termination == .exited(command == "work" ? 69 : 74))
      let rest = command == "work" ? "" : "; what was not printed is still in the queue"
      #expect(run.told.last == "push-enricher: the reader of stdout has gone\(rest)")
      // A pipe holds 64 KB of their 800 KB.
      let left = try await place.contents("incoming")
      #expect(left.count > 100)
      let again = try await place.takeAll(of: "incoming")
      #expect(again.map(\.message) == left)
      if kind.forgetsReleases { #expect(again.allSatisfy { $0.attempt == 1 }) }
    }
  }

  private func large(_ count: Int) -> [Errand] {
    (0..<count).map {
      Errand($0, naming: "http://10.0.0.1/a.jpg", size: 4_000, .unmodified("address-blocked"))
    }
  }

  /// Runs a command, and reads the first line of its output. The exit status is the command's.
  private func headOf(_ arguments: [String], input: [UInt8] = []) async throws -> Run {
    try await Command("bash").run(
      ["-c", #""$@" | head -n 1; exit "${PIPESTATUS[0]}""#, "bash", PushEnricher.path] + arguments,
      input: input)
  }
}
