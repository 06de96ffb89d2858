internal import Confining
internal import Connecting
internal import Enriching
internal import Measuring
internal import Supporting
internal import Working

/// What is known of a worker, for its status pages.
struct StatusBoard: Sendable {
  let status: WorkStatus
  let measurements: Measurements
  let backlog: BacklogWatch
  let enricher: Enricher
  /// Messages that may be worked on at once.
  let places: Int
  let source: QueueLabel?
  let target: QueueLabel?
  let deadLetters: QueueLabel?
  let confinement: Confinement
  /// Seconds since 1970.
  let start = WallClock.seconds
}
