internal import Glibc
internal import Synchronization
internal import UnixSignals

/// SIGTERM and SIGINT, which people and supervisors send, and SIGHUP, which a closing terminal sends.
enum StopSignals {
  /// Once this returns, the first signal calls `body`, and the second ends the process at once.
  static func watch(_ body: @escaping @Sendable () async -> Void) async {
    // A program that was started with nohup must keep running.
    let wanted: [UnixSignal] = isIgnored(SIGHUP) ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
    // Trapped before the task starts: a signal that arrives in between waits in the sequence.
    let signals = await UnixSignalsSequence(trapping: wanted)
    Task {
      var isFirst = true
      for await _ in signals {
        guard isFirst else { ExitStatus.interrupted.end() }
        isFirst = false
        // Not awaited: the second signal must not wait for what the first has begun.
        Task { await body() }
      }
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// A flag that is set once and never cleared.
final class StopFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
