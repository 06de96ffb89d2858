internal import ArgumentParser
internal import Connecting

/// What commands need beside URLs to reach queues.
struct QueueAccess: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificate authorities to trust beside the system's, for queues behind TLS.", valueName: "pem"))
  var caFile: String?

  /// Opens queues, or ends the process with what is wrong with the options.
  func queues() -> Queues {
    let found = OptionSources.ofProcess().find("ca-file", commandLine: caFile.map { [$0] } ?? [])
    return Queues(certificateFile: found?.values.last)
  }
}
