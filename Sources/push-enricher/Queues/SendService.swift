internal import Confining
internal import Logging
internal import Queueing
internal import ServiceLifecycle
internal import Working

/// `send` from start to end. It can be told to stop even while it waits for its queues.
struct SendService: Service, CustomStringConvertible {
  let plan: SendPlan
  let confinement: Confinement
  private let log = ConsoleLog.logger()

  /// For the service group, which would otherwise print the whole forwarder.
  var description: String { "forwarder" }

  /// Works until it is told to stop or, with `--until-empty`, nothing is left. Ends the process.
  func runToEnd() async -> Never {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
        logger: Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
    await StopSignals.watch {
      await group.triggerGracefulShutdown()
      Task {
        try await Task.sleep(for: Forwarder.stopTime * 2)
        ConsoleLog.end(
          .unavailable,
          "told to stop, and an answer is missing: what is in flight is handed out again, unless it came as lines"
        )
      }
    }
    do {
      try await group.run()
    } catch let error as QueueError {
      ConsoleLog.end(.unavailable, "\(error)")
    } catch {
      ConsoleLog.end(.defect, "the forwarder ended: \(error)")
    }
    ConsoleLog.end(.done)
  }

  func run() async throws {
    let forwarder = await withGracefulShutdownHandler {
      await begin()
    } onGracefulShutdown: {
      // A queue that cannot be reached may block a thread for a long time.
      log.info("told to stop before anything was taken")
      ConsoleLog.end(.done)
    }
    try await forwarder.run()
  }

  private func begin() async -> Forwarder {
    var opening = QueueOpening(plan.options, log: log, sendsToDevices: plan.target.sendsToDevices)
    let source = await opening.open(plan.source, for: .taking)
    let target = await opening.open(plan.target, for: .adding)
    let letters = await opening.open(plan.deadLetters, for: .adding)
    await opening.open(deadTokens: plan.deadTokens, of: target)
    var metadata: Logger.Metadata = ["in_force": "\(confinement.inForce)"]
    if let missing = confinement.missing { metadata["missing"] = "\(missing)" }
    log.log(level: confinement.missing == nil ? .info : .warning, "sandbox", metadata: metadata)
    for variable in OptionSources.unknownVariables(ProcessEnvironment.variables) {
      log.warning("the environment sets an option that does not exist", metadata: ["variable": "\(variable)"])
    }
    return Forwarder(
      from: source, to: target, deadLetters: letters, stopsWhenEmpty: plan.options.work.stopsWhenEmpty,
      log: WorkLog(log, queue: plan.source.label?.name))
  }
}
