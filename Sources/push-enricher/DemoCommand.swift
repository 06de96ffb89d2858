internal import ArgumentParser
internal import Demonstrating
internal import Enriching
internal import Glibc
internal import Supporting
internal import Synchronization

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Runs everything on loopback: a media server, a queue with every payload of the fixtures, and a worker. Prints a table of results.",
    discussion: "Ends with status 0 if every payload came out as it should, otherwise with 70.")

  @Option(
    help: .value("dir", "Folder with payloads/ and media/. (default: ./Fixtures, or else the installed one)"))
  var fixtures: String?
  @Option(
    defaultAsFlag: Self.everything,
    help: .value(
      "attack,…",
      "Use media servers that attack: one for each known attack, or for each attack named here, separated by commas."
    ))
  var fault: String?
  private static let everything = "all"
  @Option(
    help: .value(
      "address:port",
      "Serve a mock of APNs here until Ctrl-C, for trials of your own, and print its target and key."))
  var apns: String?
  @Option(help: .value("time", "How long this mock takes to answer a push. (default: 0)"))
  var answersAfter: String?

  @Flag(help: "Show a phone that was offline and then gets the pushes it missed.")
  var pushQueue = false

  func run() async throws {
    try checkChoice()
    let output = DemoOutput()
    let stage = DemoStage(
      enricher: {
        let sources = try OptionSources(commandLine: CommonOptions.parse($0).given, environment: [:])
        return try Enricher(settings: sources.values(CommonOptions.rows).enrichment)
      },
      show: { output.show($0) })
    do {
      if let apns {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        await StopSignals.watch { signal.finish() }
        let delay = try answersAfter.map { (text) throws(CommandError) in
          try CommandError.prefixed("--answers-after: ") { try Parse.waitingTime(text) }
        }
        return try await PushDemo(
          at: apns, answersAfter: delay ?? .zero, follows: isatty(STDOUT_FILENO) == 1,
          show: { Console.output($0) }
        ).run { for await _ in signals {} }
      }
      let failures =
        if pushQueue {
          try await PushQueueDemo(show: { output.show($0) }).run()
        } else if let fault {
          try await FaultDemo(fault == Self.everything ? nil : fault, on: stage).run()
        } else {
          try await FixtureDemo(fixtures, on: stage).run()
        }
      output.endIfFailed()
      if failures > 0 { ExitStatus.defect.end() }
    } catch {
      Program.end(error)
    }
  }

  private func checkChoice() throws(CommandError) {
    let given = [("--fixtures", fixtures), ("--fault", fault), ("--apns", apns)].filter { $0.1 != nil }
    let demos = given.map(\.0) + (pushQueue ? ["--push-queue"] : [])
    guard demos.count < 2 else {
      throw CommandError("\(demos.joined(separator: " and ")) are for different demos: give one of them")
    }
    guard answersAfter == nil || apns != nil else {
      throw CommandError("--answers-after: give --apns as well")
    }
  }
}

/// Writes to stdout until that fails, as when its reader has gone. The demo still runs to its end, because it
/// removes its folders there.
private final class DemoOutput: Sendable {
  private let failure = Mutex<String?>(nil)

  func show(_ text: String) {
    failure.withLock { failure in
      guard failure == nil, !FileBytes.write(Array("\(text)\n".utf8), to: STDOUT_FILENO) else { return }
      failure = Console.failure(of: "stdout")
    }
  }

  /// Ends the process if something could not be written.
  func endIfFailed() {
    if let text = failure.withLock({ $0 }) { ExitStatus.outputFailed.end(text) }
  }
}
