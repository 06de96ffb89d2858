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
      "If the media cannot be fetched in time, the payload goes out unchanged, byte for byte, with the reason.",
    version: Self.version,
    subcommands: [
      EnrichCommand.self, WorkCommand.self, SendCommand.self, EnqueueCommand.self, DequeueCommand.self,
      DeadLettersCommand.self, DeliveriesCommand.self,
      SealCommand.self, StoreCommand.self, HealthcheckCommand.self, DemoCommand.self,
    ])
}

@main enum Program {
  static func main() {
    setUp()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let name = arguments.first
    // This too must come before any thread. Commands that fetch nothing skip it: it takes 0.7 ms.
    if ["enrich", "work", "demo"].contains(name) { LibcurlSetup.prepare() }
    let frequent: (any RowCommand.Type)? =
      switch name {
      case "enrich": EnrichCommand.self
      case "work": WorkCommand.self
      // It enters its own sandbox.
      case "send": SendCommand.self
      default: nil
      }
    if var command = frequent?.read(arguments.dropFirst()) {
      do { try command.run() } catch { end(error) }
    } else {
      _ = Confinement.enforce(Needs(calls: name == "demo" ? .listening : [.libraries, .owners]))
      Task.detached(priority: .medium) { await run(arguments) }
    }
    // Every command ends the process. `main` occupies the main actor, so nothing else can run on it.
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
      guard let known = CommandError(error) else {
        if let hint = ForgottenCommand.hint(for: arguments) { ExitStatus.usage.end(hint) }
        PushEnricher.exit(withError: error)
      }
      known.status.end(known.description)
    }
  }

  static func end(_ error: any Error) -> Never {
    let error = CommandError(error) ?? CommandError("\(error)", .defect)
    error.status.end(error.description)
  }

  /// Sets up everything that applies to the whole process, before any thread is started.
  private static func setUp() {
    Console.fillStreams()
    // The kernel does not deliver a signal to the first process of a container unless the process
    // handles it. Commands that have something to finish set their own handlers later.
    if getpid() == 1 {
      for number in [SIGTERM, SIGINT, SIGHUP] { signal(number) { _exit(128 + $0) } }
    }
    signal(SIGPIPE, SIG_IGN)
    // If a file reaches the size limit (ulimit -f), only the write fails, as on a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // One heap per thread would take too much memory. With a single heap, threads wait for each
    // other, which takes an eighth of the CPU time of a payload.
    mallopt(M_ARENA_MAX, 3)
    // It names a file into which libcurl would write the TLS keys of all connections.
    unsafe unsetenv("SSLKEYLOGFILE")
  }
}
