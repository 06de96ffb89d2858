internal import ArgumentParser
internal import CLinux

struct SendCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Sends the messages of a queue to APNs as they are, until told to stop.",
    discussion: """
      On SIGTERM, SIGINT or SIGHUP it takes no more, waits for the answers to what has been sent, and gives back the rest. A second \
      signal ends it at once. Nothing is lost either way, except lines (-), which cannot be given back.
      """)

  @OptionGroup var options: SendOptions

  static let rows = SendOptions.rows

  mutating func take(_ line: PlainCommandLine) {
    options = SendOptions(line)
  }

  /// Enters the sandbox while there is only one thread, because later threads inherit it.
  func run() throws {
    mallopt(M_MMAP_THRESHOLD, 20_480)
    mallopt(M_TRIM_THRESHOLD, 65_536)
    let plan = try SendPlan(options.sources())
    let pushQueue = try PushQueueService(plan.options, target: plan.target)
    let confinement = try plan.options.confine(plan.needs(pushQueue))
    Task.detached(priority: .medium) {
      await SendService(plan: plan, pushQueue: pushQueue, confinement: confinement).runToEnd()
    }
  }
}

struct SendOptions: RowOptions {
  static let rows: [OptionRow] =
    [
      OptionRow.from.explained("Queue to take from."), OptionRow.to.explained("Where to send to: apns://…"),
      .deadLetters, .deadTokens, .untilEmpty, .status, .waitForQueues, .caFile, .requireSandbox, .config,
    ] + OptionRow.pushQueueing

  var given: [String: [String]] = [:]
}
