internal import Confining
internal import Logging
internal import Queueing
internal import ServiceLifecycle

/// The common part of `work` and `send`: a service that takes from a queue, and can be told to stop even while it
/// waits for its queues. The service group would print the whole service without a description, which takes 5 ms.
protocol QueueService: Service, CustomStringConvertible {
  var log: Logger { get }
  var confinement: Confinement { get }

  /// Called at the first signal to stop. Ends the process later if the service does not end by itself.
  func endAnyhow()
}

extension QueueService {
  /// Works until it is told to stop or, with `--until-empty`, nothing is left. Ends the process.
  func runToEnd() async -> Never {
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
        logger: Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
    await StopSignals.watch {
      await group.triggerGracefulShutdown()
      endAnyhow()
    }
    do {
      try await group.run()
    } catch let error as QueueError {
      ConsoleLog.end(.unavailable, "\(error)")
    } catch {
      ConsoleLog.end(.defect, "the \(self) ended: \(error)")
    }
    ConsoleLog.end(.done)
  }

  /// Returns the result of `begin`. Until then, a signal ends the process, because a queue that cannot be
  /// reached may block a thread for a long time.
  func started<Value: Sendable>(_ begin: () async -> Value) async -> Value {
    await withGracefulShutdownHandler {
      await begin()
    } onGracefulShutdown: { [log] in
      log.info("told to stop before anything was taken")
      ConsoleLog.end(.done)
    }
  }

  /// Logs whether the sandbox is in force, and warns about unknown variables of the environment.
  func tellSurroundings() {
    var metadata: Logger.Metadata = ["in_force": "\(confinement.inForce)"]
    if let missing = confinement.missing { metadata["missing"] = "\(missing)" }
    log.log(level: confinement.missing == nil ? .info : .warning, "sandbox", metadata: metadata)
    for variable in OptionSources.unknownVariables(ProcessEnvironment.variables) {
      log.warning("the environment sets an option that does not exist", metadata: ["variable": "\(variable)"])
    }
  }
}
