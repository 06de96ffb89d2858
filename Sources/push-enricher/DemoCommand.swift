internal import ArgumentParser
internal import Demonstrating
internal import Enriching

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "The whole thing on loopback: a media server, a queue with every payload of the fixtures, a worker, a table of results.",
    discussion: "Ends with status 0 when all came out as they should, 70 otherwise.")

  @Option(
    help: .value("dir", "Folder with payloads/ and media/. (default: ./Fixtures, then the installed one)"))
  var fixtures: String?
  @Option(
    defaultAsFlag: Self.everything,
    help: .value(
      "attack,…",
      "Payloads whose media servers attack, instead: in each way that is known, or in those that are named, by commas."
    ))
  var fault: String?
  private static let everything = "all"

  func run() async throws {
    let stage = DemoStage(
      enricher: {
        let sources = try OptionSources(commandLine: CommonOptions.parse($0).given, environment: [:])
        return try Enricher(settings: sources.values(CommonOptions.rows).enrichment)
      },
      show: { Console.output($0) })
    do {
      let failures =
        if let fault {
          try await FaultDemo(fault == Self.everything ? nil : fault, on: stage).run()
        } else {
          try await FixtureDemo(fixtures, on: stage).run()
        }
      if failures > 0 { ExitStatus.defect.end() }
    } catch {
      Program.end(error)
    }
  }
}
