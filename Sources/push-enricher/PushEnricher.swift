internal import ArgumentParser
internal import CLinux
internal import Glibc

@main
struct PushEnricher: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push-enricher",
    abstract: "Fetches, checks and stores the media of a push payload before it goes to APNs.",
    discussion: """
      A payload whose media cannot be had in time goes out byte for byte as it came, with the reason.
      """,
    version: "0.1.0",
    subcommands: [
      EnrichCommand.self, WorkCommand.self, EnqueueCommand.self, DequeueCommand.self, DeadLettersCommand.self,
      SealCommand.self, DemoCommand.self,
    ])

  /// What holds for the whole process, before any thread is started.
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    // A file size limit (ulimit -f) is a full disk, not the end.
    signal(SIGXFSZ, SIG_IGN)
    // One heap for all threads: each further one that glibc makes costs private memory and gives none back.
    mallopt(M_ARENA_MAX, 1)
    await main(nil)
  }
}
