internal import ArgumentParser
internal import Queueing

/// Options of all commands that use queues, beside their URLs.
struct QueueAccess: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Certificate authorities to trust beside the system's, for queues behind TLS.", valueName: "pem"))
  var caFile: String?
  @Option(help: ArgumentHelp("JSON file of options, which may name the queues.", valueName: "file"))
  var config: String?

  /// Environment and file of options, or the end of the process with what is wrong there. Called once.
  func readSources() -> OptionSources { .ofProcess(file: config) }

  /// Opens queues, or ends the process with what is wrong with the options.
  func queues(_ sources: OptionSources) -> Queues {
    OptionError.orExit { () throws(OptionError) in
      Queues(certificateFile: try sources.read(.caFile, caFile) { $0 }, warn: { Console.line($0) })
    }
  }
}
