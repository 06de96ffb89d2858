/// A sink that waits for the answers of a server, which may never come.
package protocol StoppableSink: Sink {
  /// Stops sending. Waiting messages are given back at once, as `SendResult.unavailable`, and those under way
  /// after a few seconds. Call it when the process is about to end: messages sent later are given back, too.
  func stop()
}
