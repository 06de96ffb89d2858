internal import ArgumentParser
internal import CLinux
internal import Confining
internal import Fetching
internal import Glibc

struct PushEnricher: AsyncParsableCommand {
  static let version = "0.2.0"

  static let configuration = CommandConfiguration(
    commandName: "push-enricher",
    abstract: "Fetches, checks and stores the media of a push payload before it goes to APNs.",
    discussion:
      "A payload whose media cannot be had in time goes out byte for byte as it came, with the reason.",
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
    // Looking through all commands takes a third of the time in which one payload is enriched.
    let frequent: (any ParsableCommand.Type)? =
      name == "enrich" ? EnrichCommand.self : name == "work" ? WorkCommand.self : nil
    if var command = try? frequent?.parse(Array(arguments.dropFirst())) {
      do { try command.run() } catch { end(error) }
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
    } catch {
      // The parser has errors of its own: help, and mistakes on the command line.
      guard let known = CommandError(error) else { PushEnricher.exit(withError: error) }
      known.status.end(known.description)
    }
  }

  static func end(_ error: any Error) -> Never {
    let error = CommandError(error) ?? CommandError("\(error)", .defect)
    error.status.end(error.description)
  }

  /// Sets what holds for the whole process, before any thread is started.
  private static func setUp() {
    Console.fillStreams()
    // The kernel spares the first process of a container unless it asks for a signal. Commands that have
    // something to finish ask for more than this.
    if getpid() == 1 {
      for number in [SIGTERM, SIGINT, SIGHUP] { signal(number) { _exit(128 + $0) } }
    }
    signal(SIGPIPE, SIG_IGN)
    // A file size limit (ulimit -f) is a full disk, not the end.
    signal(SIGXFSZ, SIG_IGN)
    // One heap for each thread would take the memory. On a single one, the threads wait for each other: that
    // takes an eighth of the CPU time of a payload.
    mallopt(M_ARENA_MAX, 3)
    // libcurl would write the keys of all connections into that file.
    unsafe unsetenv("SSLKEYLOGFILE")
  }
}
