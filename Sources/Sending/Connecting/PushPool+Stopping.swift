internal import Queueing
internal import Supporting

/// How pushes end when the process is told to stop.
extension PushPool {
  private static var outcome: PushOutcome {
    .result(.unavailable("the push was not sent: this process is stopping", after: nil))
  }

  /// Stops sending. Pushes in flight get a few more seconds.
  func stop(at now: MonotonicTime) { stopEnd = stopEnd ?? now + times.cancellation }

  /// If the process is stopping, gives back the waiting pushes and, when the time is up, the unanswered ones.
  /// Returns false if it is not stopping.
  func isStopping(at now: MonotonicTime) -> Bool {
    guard let stopEnd else { return false }
    if stopEnd <= now {
      // Does not wait until the server has received a RST_STREAM. The pushes in flight go back into the line.
      for connection in connections where !connection.streams.isEmpty || connection.isOpening {
        connection.end(.replaced, "this process is to stop")
        for push in connection.takeStreams() { takeLost(push, "this process is to stop", at: now) }
      }
    }
    giveBack(Self.outcome)
    return true
  }

  /// Gives back the waiting pushes of a batch. Its pushes in flight get a few more seconds.
  func cancel(_ batch: PushBatch, at now: MonotonicTime) {
    for connection in connections {
      for push in connection.streams where push.batch === batch { push.end = now + times.cancellation }
    }
    giveBack(Self.outcome) { $0.batch === batch }
  }
}
