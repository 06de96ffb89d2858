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
    help: ArgumentHelp(
      "Folder with payloads/ and media/. (default: ./Fixtures, then the installed one)", valueName: "dir"))
  var fixtures: String?
  @Option(
    defaultAsFlag: Self.everything,
    help: ArgumentHelp(
      "Payloads whose media servers attack, instead: in each way that is known, or in those that are named, by commas.",
      valueName: "attack,…"))
  var fault: String?

  private static let everything = "all"

  func run() async {
    let stage = DemoStage(
      enricher: {
        let sources = try OptionSources(environment: [:], file: nil)
        return Enricher.orExit(settings: try CommonOptions.parse($0).settings(from: sources))
      },
      show: { Console.output($0) })
    do {
      let failures: Int
      if let fault {
        failures = try await FaultDemo(fault == Self.everything ? nil : fault, on: stage).run()
      } else {
        failures = try await FixtureDemo(fixtures, on: stage).run()
      }
      (failures == 0 ? ExitStatus.done : .defect).end()
    } catch let error as OptionError {
      ExitStatus.usage.end(error.description)
    } catch let error as DemoError {
      ExitStatus.usage.end(error.description)
    } catch {
      ExitStatus.defect.end("\(error)")
    }
  }
}
