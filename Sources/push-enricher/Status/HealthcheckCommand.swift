internal import ArgumentParser
internal import Reporting

struct HealthcheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck",
    abstract: "Asks the worker of --status whether it lives.",
    discussion: """
      Ends with status 0 if it does, and with 1 and a line that says why otherwise. Where PUSH_ENRICHER_STATUS is set to nothing, no \
      status is served, and there is nothing to ask: status 0 as well.
      """)

  @Option(
    help: ArgumentHelp(
      "Where work tells its status. (default: what PUSH_ENRICHER_STATUS says)", valueName: "address:port"))
  var status: String?
  @Option(help: ArgumentHelp("JSON file of options: {\"status\": \"127.0.0.1:8080\"}.", valueName: "file"))
  var config: String?

  func run() async {
    guard let choice = StatusChoice(commandLine: status, in: .ofProcess(file: config)) else {
      let variable = OptionName.status.variable
      if ProcessEnvironment.variables[variable] != nil {
        Console.line("no status is served: \(variable) is empty")
        ExitStatus.done.end()
      }
      ExitStatus.usage.end(
        "nobody says where the worker tells its status: give work and healthcheck the same --status, like 127.0.0.1:8080, or set PUSH_ENRICHER_STATUS for both"
      )
    }
    do throws(ProbeError) {
      try HealthQuestion(endpoint: choice.endpoint).ask()
      Console.line(StatusPages.healthy)
    } catch {
      ExitStatus.unhealthy.end("unhealthy: \(error)")
    }
    ExitStatus.done.end()
  }
}
