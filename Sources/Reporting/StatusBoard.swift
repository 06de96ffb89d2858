package import Confining
package import Queueing
package import Enriching
package import Measuring
internal import Supporting
package import Working

/// What the status pages know about a worker, or about a `send`, which has no enricher.
package struct StatusBoard: Sendable {
  package typealias Queues = (source: QueueLabel?, target: QueueLabel?, deadLetters: QueueLabel?)

  let version: String
  let status: WorkStatus
  let measurements: Measurements
  let backlog: BacklogWatch
  let sending: SendingWatch
  let deliveries: DeliveryWatch
  /// Nil if messages are sent as they are.
  let enricher: Enricher?
  /// How many messages may be worked on at once.
  let places: Int
  let queues: Queues
  let confinement: Confinement
  /// Seconds since 1970.
  let start = WallClock.seconds

  package init(
    version: String, status: WorkStatus, measurements: Measurements, backlog: BacklogWatch,
    sending: SendingWatch = SendingWatch(), deliveries: DeliveryWatch = DeliveryWatch(), enricher: Enricher?,
    places: Int, queues: Queues,
    confinement: Confinement
  ) {
    self.version = version
    self.status = status
    self.measurements = measurements
    self.backlog = backlog
    self.sending = sending
    self.deliveries = deliveries
    self.enricher = enricher
    self.places = places
    self.queues = queues
    self.confinement = confinement
  }
}
