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
    let name = arguments.first
    // Also before any thread, and not for those that fetch nothing: it takes 0.7 ms.
    if ["enrich", "work", "demo"].contains(name) { LibcurlSetup.prepare() }
    // To look through all commands takes a third of the time in which one payload is enriched. What is not
    // plainly `enrich` or `work` goes that way: help, and mistakes.
    let frequent: (any ParsableCommand.Type)? =
      name == "enrich" ? EnrichCommand.self : name == "work" ? WorkCommand.self : nil
    if var command = try? frequent?.parse(Array(arguments.dropFirst())) {
      ending { try command.run() }
    } else {
      _ = Confinement.enforce(Needs(calls: name == "demo" ? .listening : [.libraries, .owners]))
      Task.detached(priority: .medium) { await run(arguments) }
    }
    // Every command ends the process. `main` occupies the main actor, so nothing else may run there.
    while true { pause() }
  }

  private static func run(_ arguments: [String]) async {
    do {
      var command = try await PushEnricher.asyncParseAsRoot(arguments)
      guard var command = command as? any AsyncParsableCommand else { return try command.run() }
      try await command.run()
      ExitStatus.done.end()
    } catch let error as any EndingError {
      end(error)
    } catch {
      // Of the parser: help, and mistakes on the command line.
      PushEnricher.exit(withError: error)
    }
  }

  /// Returns if `body` succeeds; otherwise ends the process with what is wrong.
  static func ending(_ body: () throws -> Void) {
    do { try body() } catch { end(error) }
  }

  static func end(_ error: any Error) -> Never {
    guard let error = error as? any EndingError else { ExitStatus.defect.end("\(error)") }
    error.status.end(error.text)
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
