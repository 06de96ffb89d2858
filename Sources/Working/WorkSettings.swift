internal import Queueing

/// How a worker works.
package struct WorkSettings: Sendable {
  /// Messages that are worked on at once.
  package var concurrency = 64
  /// How long after its receipt a result is ready at the latest. A worker that has been told to stop goes on trying to publish for
  /// one second more.
  package var deadline = Duration.seconds(30)
  /// How long the source's leases are.
  package var leaseDuration = QueueLease.duration
  /// Whether an empty source is the end; it is waited on otherwise. One whose messages are on lease with somebody is not empty.
  package var stopsWhenEmpty = false

  package init() {}

  /// From receipt on.
  var publishingTimeoutWhileStopping: Duration { deadline + .seconds(1) }

  /// From being told to stop on, and from each result that is taken then: whoever has not ended by then waits for a queue that answers
  /// nothing at all, such as a full pipe that nobody reads, and has to be ended. What it had taken is handed out again.
  package var longestStop: Duration { publishingTimeoutWhileStopping + .seconds(4) }
}
