/// Where messages are taken from. Every implementation passes the same conformance suite.
///
/// A message is never lost, except by lines: it is in the queue, on lease to a live process, or settled. All
/// methods may be called from any task at any time. All throw `QueueError` for what concerns the whole
/// connection; after `.unavailable` the same call may be repeated.
///
/// The implementations differ in this:
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
package protocol Source: Sendable {
  /// Hands out up to `limit` messages, oldest first, each on lease. Fewer if they are long: what is held of
  /// them at once is bounded.
  ///
  /// - Parameter duration: how long to wait for the first one.
  /// - Returns: none if there is none yet; nil if there will never be one again, as at the end of a file.
  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]?

  /// How long a lease lasts unless `extend` renews it; nil if it ends with its holder.
  var leaseTime: Duration? { get }

  /// Has the leases of these deliveries last `leaseTime` from now on. Skips those that are not held any more.
  func extend(_ deliveries: [Delivery]) async throws(QueueError)

  /// Gives deliveries back unprocessed, at the front of the queue. If the broker allows it, their hand-out is
  /// not counted.
  func release(_ deliveries: [Delivery]) async throws(QueueError)

  /// Publishes `publications` in order, then removes the delivery. Trailing ones in the same store commit in
  /// the same transaction. Otherwise a crash may publish one twice, never zero times. Publications that are
  /// confirmed already are skipped, so a settlement may be retried.
  ///
  /// - Returns: `sent` if all is done. Otherwise the answer to the first publication that its sink did not
  ///   take; the delivery is still on lease then.
  /// - Throws: `QueueError.leaseLost` if somebody else has the message by now, and publishes it again.
  @discardableResult
  func settle(_ delivery: Delivery, publishing publications: [Publication]) async throws(QueueError)
    -> SendResult

  /// Puts the message of a delivery to the end of this queue, with this hand-out not counted, and removes the
  /// delivery. If the process crashes in between, the message is in the queue twice.
  ///
  /// - Throws: `QueueError.leaseLost` if somebody else has the message by now.
  func requeue(_ delivery: Delivery) async throws(QueueError)

  /// The oldest messages, at most `limit`, without taking them: for people who look.
  func browse(_ limit: Int) async throws(QueueError) -> [Message]

  /// Whether the queue holds nothing. Messages on lease to others count if the broker tells.
  var isEmpty: Bool { get async throws(QueueError) }

  /// How long after the first `receive` the messages of a process that was killed before are handed out, at
  /// the latest. Zero if the broker notices its end at once.
  var takeoverTime: Duration { get }

  /// How much there is to do; nil if that cannot be known, as for a pipe. May take time that grows with the
  /// queue: to be asked now and then.
  var backlog: Backlog? { get async throws(QueueError) }
}

/// Where messages are put.
package protocol Sink: Sendable {
  /// Puts messages into it, in this order.
  ///
  /// - Returns: one answer for each message.
  /// - Throws: what concerns the whole connection. Some of the messages may have been taken.
  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult]
}

/// A queue that messages are put into and taken from.
package typealias Queue = Source & Sink

/// A source without a broker that takes deliveries back, such as a pipe: what was read and is not worked on is
/// lost, so a worker that stops has to drain it. Settlements wait for those of earlier deliveries.
package protocol DrainableSource: Source {
  /// Ends `receive`. What was read ahead and can be put back, as lines of a file, is there for others from
  /// now on.
  func stopReceiving() async

  /// Hands out, after `stopReceiving`, what was read and cannot be put back, as lines of a pipe. Does not
  /// wait for the first one.
  ///
  /// - Parameter waits: whether the rest of a partly read message may be awaited; otherwise it is handed out
  ///   as it is.
  /// - Returns: none if there is none yet; nil if there are no more.
  func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]?
}

/// How many messages a queue holds.
package struct Backlog: Equatable, Sendable {
  /// Messages that have not been handed out, and those that were released.
  package let waiting: Int
  /// Messages that are being worked on; nil if the broker does not tell. Those of a process that has ended count
  /// until somebody asks for messages.
  package let onLease: Int?
  /// How long ago the oldest of all of these was put into the queue; nil if the broker does not tell.
  package let oldestAge: Duration?

  package init(waiting: Int, onLease: Int? = nil, oldestAge: Duration? = nil) {
    self.waiting = waiting
    self.onLease = onLease
    self.oldestAge = oldestAge
  }
}

extension Source {
  package var leaseTime: Duration? { nil }

  package func extend(_ deliveries: [Delivery]) async throws(QueueError) {}

  package var isEmpty: Bool {
    get async throws(QueueError) { try await browse(1).isEmpty }
  }

  package var takeoverTime: Duration { .zero }

  package var backlog: Backlog? {
    get async throws(QueueError) { nil }
  }
}

extension Source where Self: Sink {
  package func requeue(_ delivery: Delivery) async throws(QueueError) {
    try await settle(delivery, publishing: [Publication(delivery.requeuedMessage, into: self)]).orThrow()
  }
}

extension Sink {
  /// Puts messages into it that all have to be taken.
  /// - Throws: also if one of them is not.
  package func publish(_ messages: [Message]) async throws(QueueError) {
    for result in try await send(messages) { try result.orThrow() }
  }
}
