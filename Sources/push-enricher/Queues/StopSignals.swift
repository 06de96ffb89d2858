internal import Glibc
internal import Synchronization
internal import UnixSignals

/// SIGTERM and SIGINT, with which a person or a supervisor ends a process, and SIGHUP of a closing terminal.
enum StopSignals {
  /// Once this returns, the first signal calls `body`, and the second ends the process at once.
  static func watch(_ body: @escaping @Sendable () async -> Void) async {
    // A program that is started with nohup is to go on.
    let wanted: [UnixSignal] = isIgnored(SIGHUP) ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
    // Before the task starts: a signal that arrives meanwhile waits in the sequence.
    let signals = await UnixSignalsSequence(trapping: wanted)
    Task {
      var isFirst = true
      for await _ in signals {
        guard isFirst else { ExitStatus.interrupted.end() }
        isFirst = false
        await body()
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

/// False until it is set, once and for good.
final class StopFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
