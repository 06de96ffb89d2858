internal import ArgumentParser
internal import Reporting

struct HealthcheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "healthcheck",
    abstract: "Asks the worker at --status whether it is alive.",
    discussion: """
      Ends with status 0 if it is, otherwise with 1 and a line that says why. If PUSH_ENRICHER_STATUS is set but empty, the worker \
      serves no status, so there is nothing to ask, and healthcheck ends with status 0.
      """)

  struct Options: RowOptions {
    static let rows: [OptionRow] = [
      OptionRow.status.explained(
        "Where work serves its status.", default: "the value of PUSH_ENRICHER_STATUS"),
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
        "no status address is set: give work and healthcheck the same --status, like 127.0.0.1:8080, or set PUSH_ENRICHER_STATUS for both"
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
