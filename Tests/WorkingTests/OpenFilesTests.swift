import Misbehaving
import Queueing
import TestSupport
import Testing

/// How a worker deals with a limit on open files.
@Suite("Open files", .timeLimit(.minutes(5)))
struct OpenFilesTests {
  /// Runs a worker with this limit, in the form that the shell's `ulimit` takes.
  private func work(_ place: Workplace, under limit: String) async throws -> Run {
    let words = ["work", "--from", place.url("incoming"), "--to", place.url("enriched"), "--until-empty"]
    return try await Command("bash").run(
      ["-c", "ulimit \(limit) && exec \"$@\"", "bash", PushEnricher.path] + words + place.options,
      limit: .seconds(120))
  }

  @Test(
    "a limit on open files that is too low is raised, so that no payload goes out unmodified because of it")
  func raised()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<128, place.server, late: .milliseconds(300))
      try await place.publish(errands)
      let run = try await work(place, under: "-Sn 64")
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(!run.standardError.contains("open files"))
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("if a limit on open files cannot be raised, the worker downloads less at once and says so")
  func fewer() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<128, place.server, late: .zero)
      try await place.publish(errands)
      let run = try await work(place, under: "-n 80")
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let warning = "80 open files (ulimit -n) are enough for 10 downloads at once, and not for 64"
      #expect(run.standardError.contains(#""level":"warning","message":"\#(warning)""#))
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test(
    "if a limit on open files leaves room for no download, the worker ends at once and takes nothing")
  func none()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      try await place.publish([Errand(0, "[]", .unmodified("invalid-payload"))])
      let run = try await work(place, under: "-n 52")
      #expect(run.termination == .exited(64))
      let says =
        "52 open files leave no room for a single download: allow more (ulimit -n, LimitNOFILE= in systemd)"
      #expect(run.standardError == "push-enricher: \(says)\n")
      #expect(try await place.contents("incoming").count == 1)
    }
  }
}
