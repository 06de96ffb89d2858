internal import UnixSignals

/// SIGTERM and SIGINT, which a person or a supervisor sends to end a process.
enum StopSignals {
  /// Once this returns, the first signal calls `body`, and the second ends the process at once.
  static func watch(_ body: @escaping @Sendable () async -> Void) async {
    // Before the task starts: a signal that arrives meanwhile waits in the sequence.
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
