/// A sink that waits for the answers of a server, which may never come.
package protocol StoppableSink: Sink {
  /// Sends no more. Messages that wait are given back at once, as `SendResult.unavailable`, and those under way after
  /// a few seconds. Call it when the process is to end: what is sent later comes back, too.
  func stop()
}
