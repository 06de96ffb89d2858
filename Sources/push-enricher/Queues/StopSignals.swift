internal import UnixSignals

/// SIGTERM and SIGINT, as a person or a supervisor sends them to end a process.
enum StopSignals {
  /// From its return on, the first signal has `body` called, and the second ends the process at once.
  static func watch(_ body: @escaping @Sendable () async -> Void) async {
    // Before the task comes to run: a signal that arrives meanwhile waits in the sequence.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    Task {
      var isFirst = true
      for await _ in signals {
        guard isFirst else { ExitStatus.interrupted.end() }
        isFirst = false
        await body()
      }
    }
  }
}
