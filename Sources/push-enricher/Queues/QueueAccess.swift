internal import ArgumentParser
internal import Connecting

/// What commands need beside URLs to reach queues.
struct QueueAccess: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificate authorities to trust beside the system's, for queues behind TLS.", valueName: "pem"))
  var caFile: String?
  @Option(help: ArgumentHelp("JSON file of options, which may name the queues.", valueName: "file"))
  var config: String?

  /// Where the queues may be named beside the command line, or the end of the process with what is wrong there.
  var sources: OptionSources { .ofProcess(file: config) }

  /// Opens queues, or ends the process with what is wrong with the options.
  func queues() -> Queues {
    let found = sources.find("ca-file", commandLine: caFile.map { [$0] } ?? [])
    return Queues(certificateFile: found?.values.last)
  }
}
