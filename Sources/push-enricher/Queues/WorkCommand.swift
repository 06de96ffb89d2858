internal import ArgumentParser
internal import CLinux

struct WorkCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "work",
    abstract:
      "Takes payloads from a queue, enriches them and publishes the results, until told to stop.",
    discussion: """
      On SIGTERM, SIGINT or SIGHUP it takes no more, and finishes and publishes what is in flight. A second signal ends it at once, and \
      what was in flight is handed out again. Nothing is lost either way, except lines (-) after a second signal.
      """)

  @OptionGroup var work: WorkOptions
  @OptionGroup var common: CommonOptions

  static let rows = WorkOptions.rows + CommonOptions.rows

  mutating func take(_ line: PlainCommandLine) {
    work = WorkOptions(line)
    common = CommonOptions(line)
  }

  /// Enters the sandbox while there is only one thread, because later threads inherit it.
  func run() throws {
    // Returns freed memory to the kernel early: blocks like OpenSSL's 21 KB for a handshake, and the
    // end of the heap.
    mallopt(M_MMAP_THRESHOLD, 20_480)
    mallopt(M_TRIM_THRESHOLD, 65_536)
    mallopt(M_TOP_PAD, 65_536)
    // A woken thread waits for its turn instead of preempting the thread that woke it, which soon has
    // more work for it. If the kernel refuses, there are twice as many context switches.
    schedule_as_batch()
    let given = work.given.merging(common.given) { $1 }
    let plan = try WorkPlan(OptionSources(commandLine: given, environment: ProcessEnvironment.variables))
    let pushQueue = try PushQueueService(plan.options, target: plan.target)
    let confinement = try plan.options.confine(plan.needs(pushQueue))
    Task.detached(priority: .medium) {
      await WorkService(plan: plan, pushQueue: pushQueue, confinement: confinement).runToEnd()
    }
  }
}
