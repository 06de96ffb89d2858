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
  var patienceWhileStopping: Duration { deadline + .seconds(1) }
}
