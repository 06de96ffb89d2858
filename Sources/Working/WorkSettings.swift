package struct WorkSettings: Sendable {
  package var concurrency = 64
  /// Time from receipt within which a result is ready.
  package var deadline = Duration.seconds(30)
  /// Whether the worker ends when the source is empty. A source whose messages are on lease is not.
  package var stopsWhenEmpty = false
  /// Whether the worker takes no more while its store fails. Otherwise payloads go out unmodified.
  package var waitsForStore = false

  package init() {}

  /// How long after its receipt publishing is retried once the worker has been told to stop.
  var publishingTimeoutWhileStopping: Duration { deadline + .seconds(1) }

  /// Time after the stop signal, or the last published result, at which a worker that still runs is killed:
  /// its queue answers nothing, like a full pipe that nobody reads. What it had taken is handed out again.
  package var longestStop: Duration { publishingTimeoutWhileStopping + .seconds(4) }
}
