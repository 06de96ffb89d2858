/// A queue without a broker that takes deliveries back, such as a pipe: what was read and is not worked on is
/// lost, so a worker that stops has to drain it. Settlements wait for those of earlier deliveries.
package protocol DrainableQueue: Queue {
  /// Ends `receive`. What was read ahead and can be put back, as lines of a file, is there for others from
  /// now on.
  func stopReceiving() async

  /// Hands out, after `stopReceiving`, what was read and cannot be put back, as lines of a pipe. Does not
  /// wait for the first one.
  ///
  /// - Parameter waits: whether the rest of a partly read message may be awaited; otherwise it is handed out
  ///   as it is.
  /// - Returns: none when there is none yet; nil when there are no more.
  func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]?
}
