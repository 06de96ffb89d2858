package struct WorkSettings: Sendable {
  package var concurrency = 64
  /// The longest time from receipt until a result is ready.
  package var deadline = Duration.seconds(30)
  /// Whether the worker ends when the source is empty and has no messages on lease.
  package var stopsWhenEmpty = false
  /// Whether the results go to devices: messages may have a time, and each device an order.
  package var sendsToDevices = false
  /// Whether the source is a door.
  package var takesFromDoor = false
  /// How many bytes of each payload to leave free, if its message names a device (header `device-id`), for the mark
  /// that its target puts there.
  package var markSize = 0
  /// Whether the worker takes nothing while its store fails. If not, payloads go out unmodified.
  package var waitsForStore = false

  package init() {}

  /// How long after receipt a worker that was told to stop still tries to publish a result.
  var publishingTimeoutWhileStopping: Duration { deadline + .seconds(1) }

  /// A worker that still runs this long after the stop signal, or after the last published result,
  /// is killed. Its queue does not answer, like a full pipe that nobody reads. The messages that it
  /// took are handed out again.
  package var longestStop: Duration { publishingTimeoutWhileStopping + .seconds(4) }
}
