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

  struct Options: RowOptions {
    static let rows: [OptionRow] = [
      OptionRow.status.explained("Where work tells its status.", default: "what PUSH_ENRICHER_STATUS says"),
      .config.explained(#"JSON file of options: {"status": "127.0.0.1:8080"}."#),
    ]
    var given: [String: [String]] = [:]
  }

  @OptionGroup var options: Options

  func run() async throws {
    guard let choice = try options.sources().values(Options.rows).status else {
      let variable = OptionRow.status.variable
      guard ProcessEnvironment.variables[variable] == nil else {
        return Console.line("no status is served: \(variable) is empty")
      }
      throw CommandError(
        "nobody says where the worker tells its status: give work and healthcheck the same --status, like 127.0.0.1:8080, or set PUSH_ENRICHER_STATUS for both"
      )
    }
    do throws(ProbeError) {
      try HealthQuestion(endpoint: choice.endpoint).ask()
      Console.line(StatusPages.healthy)
    } catch {
      throw CommandError("unhealthy: \(error)", .unhealthy)
    }
  }
}
