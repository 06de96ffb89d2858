internal import ArgumentParser
internal import CLinux

struct WorkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract:
      "Takes payloads from a queue, enriches them and publishes what came of them, until told to stop.",
    discussion: """
      SIGTERM, SIGINT and SIGHUP stop it from taking more; what is in flight is finished and published first. A second one ends it at \
      once: what is in flight is handed out again then. Nothing is lost either way.
      """)

  @OptionGroup var work: WorkOptions
  @OptionGroup var common: CommonOptions

  /// Runs while there is only one thread: later threads inherit its restrictions.
  func run() throws {
    // Returns freed memory to the kernel soon: pieces like OpenSSL's 21 KB a handshake, and the end of the
    // heap.
    mallopt(M_MMAP_THRESHOLD, 20_480)
    mallopt(M_TRIM_THRESHOLD, 65_536)
    mallopt(M_TOP_PAD, 65_536)
    // A thread that is woken waits for its turn instead of interrupting the one that has woken it, which is
    // about to have more for it to do. If the kernel refuses, there are twice as many changes of threads.
    schedule_as_batch()
    let given = work.given.merging(common.given) { $1 }
    let plan = try WorkPlan(OptionSources(commandLine: given, environment: ProcessEnvironment.variables))
    let confinement = try plan.options.confine(plan.needs())
    Task.detached(priority: .medium) { await WorkService(plan: plan, confinement: confinement).runToEnd() }
  }
}
