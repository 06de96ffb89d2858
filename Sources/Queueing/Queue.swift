/// One named queue of a broker. Every implementation passes the same conformance suite.
///
/// A message is never lost, except by lines: it is in the queue, on lease to a live process, or settled. All
/// methods may be called from any task at any time. All throw `QueueError`; after `.unavailable` the same
/// call may be repeated.
///
/// Where the implementations differ:
///
/// |                 | SQLite          | Redis            | RabbitMQ         | lines             |
/// |-----------------|-----------------|------------------|------------------|-------------------|
/// | lease ends      | with process    | see `QueueLease` | with connection  | with the process  |
/// | message is then | handed out anew | handed out anew  | handed out anew  | lost              |
/// | release counts  | no              | no               | mostly, as crash | no                |
/// | durable means   | synced to disk  | by `appendfsync` | confirmed        | passed to kernel  |
/// | settlements     | in any order    | in any order     | in any order     | in order of lines |
/// | one transaction | within the file | on the server    | never            | never             |
/// | `isEmpty`       | counts leases   | counts leases    | counts own lease | throws            |
/// | `backlog`       | without age     | see `Backlog`    | `waiting` only   | nil               |
package protocol Queue: Sendable {
  /// Hands out up to `limit` messages, oldest first, each on lease. Fewer if they are long: what is held of
  /// them at once is bounded.
  ///
  /// - Parameter duration: how long to wait for the first one.
  /// - Returns: none when there is none yet; nil when there will never be one again, as at the end of a file.
  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]?

  /// Gives deliveries back unprocessed, at the front of the queue. Where the broker allows it, their hand-out
  /// is not counted.
  func release(_ deliveries: [Delivery]) async throws(QueueError)

  /// Puts messages into the queue, in this order. They are as durable as the broker makes them when this
  /// returns.
  func publish(_ messages: [Message]) async throws(QueueError)

  /// Publishes `publications` in order, then removes the delivery. Trailing ones in the same store commit in
  /// the same transaction. Otherwise a crash may publish one twice, never zero times. Publications that are
  /// confirmed already are skipped, so a settlement may be retried.
  ///
  /// - Throws: `QueueError.leaseLost` when somebody else has the message by now, and publishes it again.
  func settle(_ delivery: Delivery, publishing publications: [Publication]) async throws(QueueError)

  /// Puts the message of a delivery to the end of this queue, with this hand-out not counted, and removes the
  /// delivery. After a crash in between, the message is there twice.
  ///
  /// - Throws: `QueueError.leaseLost` when somebody else has the message by now.
  func requeue(_ delivery: Delivery) async throws(QueueError)

  /// The oldest messages, at most `limit`, without taking them: for people who look.
  func browse(_ limit: Int) async throws(QueueError) -> [Message]

  /// Whether the queue holds nothing. Messages on lease to others count where the broker tells.
  var isEmpty: Bool { get async throws(QueueError) }

  /// How long after the first `receive` that is handed out at the latest which a process had that was killed
  /// before. Zero if the broker notices its end at once.
  var takeoverTime: Duration { get }

  /// How much there is to do; nil where that cannot be known, as for a pipe. May take time that grows with
  /// the queue: to be asked now and then.
  var backlog: Backlog? { get async throws(QueueError) }
}

extension Queue {
  package func requeue(_ delivery: Delivery) async throws(QueueError) {
    try await settle(delivery, publishing: [Publication(delivery.requeuedMessage, into: self)])
  }

  package var isEmpty: Bool {
    get async throws(QueueError) { try await browse(1).isEmpty }
  }

  package var takeoverTime: Duration { .zero }

  package var backlog: Backlog? {
    get async throws(QueueError) { nil }
  }
}
