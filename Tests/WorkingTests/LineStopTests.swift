import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Workers that read lines and are told to stop, and the lines that they have read ahead.
@Suite("Stopping at lines", .timeLimit(.minutes(5)))
struct LineStopTests {
  /// Makes the pipe that the worker reads, and the file for its results. Descriptor 3 keeps the pipe open.
  private static let pipe = """
    mkfifo "$0.in" && exec 3<>"$0.in" && cat >&3 && echo $$ >"$0.pid" && exec "$@" <&3 >"$0.out"
    """
  /// Opens descriptor 4, a pipe without a reader.
  private static let withoutReader = #"mkfifo "$0.full" && exec 5<>"$0.full" 4>"$0.full" 5<&- && "#
  private static let file = """
    cat >"$0.in" && exec <"$0.in" && { sh -c 'echo $$ >"$0.pid" && exec "$@" >"$0.out"' "$0" "$@"; status=$?; cat >"$0.rest"; exit $status; }
    """

  @Test("lines that were read from a pipe are published in order, including the last, incomplete one")
  func pipe() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<100, place.server, late: .milliseconds(50))
      let lines = Array(errands.map { $0.message.body + Array("\n".utf8) }.joined())
      #expect(lines.count < 16_384)
      // The second half of the last line never arrives.
      let half = Array(#"{"aps":{"alert":"cut"#.utf8)
      let run = try await stop(Self.pipe, lines + half, in: place, ["--deadline", "3s"])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try results(in: place)
      #expect(results.count == 101)
      // Some payloads had no time left and are unmodified.
      #expect(zip(results, errands).allSatisfy { isIntact($0, of: $1.message.body) })
      #expect(results.last == half)
      #expect(try await place.contents("dead-letters").map(\.body) == [half])
    }
  }

  @Test("lines that were read from a pipe are published on time if their host is silent")
  func silent() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = (0..<100).map { Errand($0, naming: place.server.url(.silent), .unanswered) }
      let lines = errands.map { $0.message.body + Array("\n".utf8) }
      let run = try await stop(Self.pipe, Array(lines.joined()), in: place, ["--deadline", "2s"])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(try results(in: place) == errands.map(\.message.body))
    }
  }

  @Test("lines that were read ahead from a file are left for the next reader")
  func file() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<1_000, place.server, late: .milliseconds(50))
      let lines = errands.map { $0.message.body + Array("\n".utf8) }
      let run = try await stop(Self.file, Array(lines.joined()), in: place)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try results(in: place)
      #expect(zip(results, errands).allSatisfy { isIntact($0, of: $1.message.body) })
      let rest = try Files.read(place.folder.path(of: "lines.rest"))
      #expect(rest == Array(lines.dropFirst(results.count).joined()))
    }
  }

  @Test("a worker that cannot publish any more says how many payloads are lost")
  func refused() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = (0..<100).map { Errand($0, naming: "http://10.0.0.1/", .unmodified("address-blocked")) }
      let lines = errands.map { $0.message.body + Array("\n".utf8) }
      let script = Self.pipe.replacing(#">"$0.out""#, with: ">&4")
      let words = [PushEnricher.path, "work", "--from", "-", "--to", "-"] + place.options
      let run = try await Command("sh").run(
        ["-c", Self.withoutReader + script, place.folder.path(of: "lines")] + words,
        input: Array(lines.joined()))
      #expect(run.termination == .exited(69))
      let last = run.told.last
      #expect(
        last
          == "push-enricher: the reader of stdout has gone; 100 payloads that were read before are no longer in any queue"
      )
    }
  }

  /// Runs a worker with eight places on these lines, and stops it at the first result.
  private func stop(
    _ script: String, _ input: [UInt8], in place: Workplace, _ more: [String] = []
  ) async throws -> Run {
    let path = place.folder.path(of: "lines")
    let words = [PushEnricher.path, "work", "--from", "-", "--to", "-", "--concurrency", "8"]
    async let run = Command("sh").run(
      ["-c", script, path] + words + place.options + more, input: input, limit: .seconds(120))
    #expect(await eventually { ((try? Files.size(of: "\(path).out")) ?? 0) > 0 })
    let process = String(decoding: try Files.read("\(path).pid").dropLast(), as: UTF8.self)
    #expect(kill(try #require(pid_t(process)), SIGTERM) == 0)
    return try await run
  }

  private func results(in place: Workplace) throws -> [[UInt8]] {
    try Files.read(place.folder.path(of: "lines.out")).split(separator: UInt8(ascii: "\n")).map { Array($0) }
  }
}
