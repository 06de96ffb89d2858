internal import Queueing
internal import Supporting

/// What happens to pushes when the process is told to end.
extension PushPool {
  private static var outcome: PushOutcome {
    .result(.unavailable("the push is not sent: this process is to stop", after: nil))
  }

  /// Sends no more pushes. Those in flight have some more time.
  func stop(at now: MonotonicTime) { stopEnd = stopEnd ?? now + times.cancellation }

  /// Gives back what waits, and at the end what has no answer. Returns false if pushes are to be sent as always.
  func isStopping(at now: MonotonicTime) -> Bool {
    guard let stopEnd else { return false }
    if stopEnd <= now {
      // This does not wait until the server takes a RST_STREAM. What was in flight comes into the line.
      for connection in connections where !connection.streams.isEmpty || connection.isOpening {
        connection.end(.replaced, "this process is to stop")
        for push in connection.takeStreams() { takeLost(push, "this process is to stop", at: now) }
      }
    }
    giveBack(Self.outcome)
    return true
  }

  /// Answers the pushes of a batch that wait, and gives those in flight some more time.
  func cancel(_ batch: PushBatch, at now: MonotonicTime) {
    for connection in connections {
      for push in connection.streams where push.batch === batch { push.end = now + times.cancellation }
    }
    giveBack(Self.outcome) { $0.batch === batch }
  }
}
