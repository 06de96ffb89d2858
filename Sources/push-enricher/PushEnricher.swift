internal import ArgumentParser
internal import CLinux
internal import Confining
internal import Fetching
internal import Glibc

struct PushEnricher: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "push-enricher",
    abstract: "Fetches, checks and stores the media of a push payload before it goes to APNs.",
    discussion: """
      A payload whose media cannot be had in time goes out byte for byte as it came, with the reason.
      """,
    version: Self.version,
    subcommands: [
      EnrichCommand.self, WorkCommand.self, EnqueueCommand.self, DequeueCommand.self, DeadLettersCommand.self,
      SealCommand.self, StoreCommand.self, HealthcheckCommand.self, DemoCommand.self,
    ])
}

@main enum Program {
  static func main() {
    setUp()
    let arguments = Array(CommandLine.arguments.dropFirst())
    // Also before any thread, and not for those that fetch nothing: it takes 0.7 ms.
    if ["enrich", "work", "demo"].contains(arguments.first) { LibcurlSetup.prepare() }
    // To look through all commands takes a third of the time in which one payload is enriched. What is not
    // plainly `enrich` or `work` goes that way: help, and mistakes.
    if arguments.first == "enrich", let command = try? EnrichCommand.parse(Array(arguments.dropFirst())) {
      command.run()
    } else if arguments.first == "work", let command = try? WorkCommand.parse(Array(arguments.dropFirst())) {
      command.run()
    } else {
      _ = Confinement.enforce(Needs(calls: arguments.first == "demo" ? .listening : [.libraries, .owners]))
      Task.detached(priority: .medium) { await PushEnricher.main(arguments) }
    }
    // Every command ends the process. `main` occupies the main actor, so nothing else may run there.
    while true { pause() }
  }

  /// What holds for the whole process, before any thread is started.
  private static func setUp() {
    Console.fillStreams()
    // The first process of a container, which the kernel spares unless it asks for a signal. Those that have
    // something to finish ask for more than this.
    if getpid() == 1 {
      for number in [SIGTERM, SIGINT, SIGHUP] { signal(number) { _exit(128 + $0) } }
    }
    signal(SIGPIPE, SIG_IGN)
    // A file size limit (ulimit -f) is a full disk, not the end.
    signal(SIGXFSZ, SIG_IGN)
    // As many heaps as there are threads would take the memory; on a single one, the threads wait for each
    // other: that takes an eighth of the CPU time of a payload.
    mallopt(M_ARENA_MAX, 3)
    // libcurl would write the keys of all connections into that file.
    unsafe unsetenv("SSLKEYLOGFILE")
  }
}
