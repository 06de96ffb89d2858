import TestSupport
import Testing

@Suite("Command and PushEnricher")
struct CommandTests {
  @Test("input, both outputs and the exit status are passed on")
  func streams() async throws {
    let run = try await Command("sh").run(["-c", "cat; echo oops >&2; exit 3"], input: picture)
    #expect(run.standardOutput == picture)
    #expect(run.standardError == "oops\n")
    #expect(run.exitStatus == 3)
    #expect(run.peakPrivateBytes == nil)
  }

  @Test("a program may ignore its input")
  func unreadInput() async throws {
    let run = try await Command("false").run(input: [UInt8](repeating: 0, count: 10_000_000))
    #expect(run.exitStatus == 1)
  }

  @Test("the environment has the given variables and none of ours")
  func environment() async throws {
    let run = try await Command("env").run(environment: ["http_proxy": "http://127.0.0.1:9", "HOME": "/home"])
    let names = run.output.split(separator: "\n").sorted()
    #expect(names == ["HOME=/home", "PATH=\(Command.searchPath)", "http_proxy=http://127.0.0.1:9"])
  }

  @Test("a signal is distinguished from an exit status")
  func signals() async throws {
    let run = try await Command("sh").run(["-c", "kill -9 $$"])
    #expect(run.termination == .signalled(9))
    #expect(run.exitStatus == nil)
  }

  @Test("a program that takes too long is killed")
  func limit() async throws {
    let limit = Duration.milliseconds(300)
    await #expect(throws: Command.Failure.tooLong(.init(words: ["sleep", "50"]), limit: limit)) {
      try await Command("sleep").run(["50"], limit: limit)
    }
  }

  @Test("processes that a program has started are killed with it")
  func descendants() async throws {
    try await withTemporaryDirectory { folder in
      let note = folder.path(of: "pid")
      await #expect(throws: Command.Failure.self) {
        try await Command("sh").run(["-c", "sleep 50 & echo $! > '\(note)'; wait"], limit: .seconds(4))
      }
      let pid = String(decoding: try Files.read(note).dropLast(), as: UTF8.self)
      #expect(!pid.isEmpty)
      // The process is gone, or dead and not reaped because the container has no init. A signal
      // takes a moment to arrive.
      #expect(await eventually { !isAlive(pid) })
    }
  }

  private func isAlive(_ pid: String) -> Bool {
    guard let status = try? Files.read("/proc/\(pid)/status") else { return false }
    return !String(decoding: status, as: UTF8.self).contains("State:\tZ")
  }

  @Test("private memory is sampled from outside")
  func memory() async throws {
    let script = "$x = 'a' x 30_000_000; select(undef, undef, undef, 4)"
    let run = try await Command("perl").run(["-e", script], sampledEvery: .milliseconds(2))
    #expect(run.exitStatus == 0)
    #expect(try #require(run.peakPrivateBytes) > 30_000_000)
  }

  @Test("the program that was just built is found and runs")
  func pushEnricher() async throws {
    #expect(Files.exists(PushEnricher.path))
    let run = try await PushEnricher.runSampled(["--help"])
    #expect(run.exitStatus == 0)
    #expect(run.output.contains("push-enricher"))
    #expect(run.peakPrivateBytes != nil)
  }
}
