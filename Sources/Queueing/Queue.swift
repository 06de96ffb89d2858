/// Where messages are taken from. Every implementation passes the same conformance suite.
///
/// A message is never lost, except by lines: it is in the queue, on lease to a live process, or settled. Any
/// task may call any method. Errors concern the connection. After `.unavailable`, a call may be repeated.
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
  /// Puts up to `limit` messages on lease, oldest first; fewer if they are long, to bound the memory.
  /// - Parameter duration: how long to wait for the first one.
  /// - Returns: none if there is none yet; nil if there will never be one again, as at the end of a file.
  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]?

  /// How long a lease lasts unless `extend` renews it; nil if it ends with its holder.
  var leaseTime: Duration? { get }

  /// Lets the leases of these deliveries last `leaseTime` from now on. Skips those that are lost.
  func extend(_ deliveries: [Delivery]) async throws(QueueError)

  /// Gives deliveries back to the front of the queue. They do not count as hand-outs if the broker allows it.
  func release(_ deliveries: [Delivery]) async throws(QueueError)

  /// Publishes in order, then removes the delivery. Trailing publications in the same store are in one
  /// transaction with that. Otherwise a crash may publish one twice, never zero times. Skips those that are
  /// confirmed already, so a settlement may be retried.
  /// - Returns: `sent`, or the answer to the first publication that was not taken; then the lease goes on.
  /// - Throws: `QueueError.leaseLost` if somebody else has the message by now, and publishes it again.
  @discardableResult
  func settle(_ delivery: Delivery, publishing: [Publication]) async throws(QueueError) -> SendResult

  /// Puts the message of a delivery to the end of this queue, with this hand-out not counted, and removes the
  /// delivery. If the process crashes in between, the message is in the queue twice.
  /// - Throws: `QueueError.leaseLost` if somebody else has the message by now.
  func requeue(_ delivery: Delivery) async throws(QueueError)

  /// The oldest messages, at most `limit`, without taking them: for people who look.
  func browse(_ limit: Int) async throws(QueueError) -> [Message]

  /// Whether the queue holds nothing. Messages on lease to others count if the broker tells.
  var isEmpty: Bool { get async throws(QueueError) }

  /// How long after the first `receive` the messages of a killed process are handed out, at most.
  var takeoverTime: Duration { get }

  /// How much there is to do; nil if that cannot be known, as for a pipe. May take longer for a longer queue.
  var backlog: Backlog? { get async throws(QueueError) }
}

/// Where messages are put.
package protocol Sink: Sendable {
  /// Puts messages into it, in this order.
  /// - Returns: one answer for each message.
  /// - Throws: what concerns the whole connection. Some of the messages may have been taken.
  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult]
}

/// A queue that messages are put into and taken from.
package typealias Queue = Source & Sink

/// A source that cannot take deliveries back, such as a pipe: a worker that stops has to drain it, or what
/// was read is lost. Settlements wait for those of earlier deliveries.
package protocol DrainableSource: Source {
  /// Ends `receive`. Puts back for others what was read ahead, if that is possible, as for lines of a file.
  func stopReceiving() async

  /// Hands out, after `stopReceiving`, what was not put back, without waiting for the first one.
  /// - Parameter waits: whether to wait for the rest of a partly read message, or to hand it out as it is.
  /// - Returns: none if there is none yet; nil if there are no more.
  func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]?
}

/// How many messages a queue holds. Nil for what the broker does not tell.
package struct Backlog: Equatable, Sendable {
  /// Messages that have not been handed out, and those that were released.
  package let waiting: Int
  /// Messages that are being worked on. Those of a process that has ended count until the next `receive`.
  package let onLease: Int?
  /// How long ago the oldest of all of these was put into the queue.
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
  package var isEmpty: Bool { get async throws(QueueError) { try await browse(1).isEmpty } }
  package var takeoverTime: Duration { .zero }
  package var backlog: Backlog? { get async throws(QueueError) { nil } }
}

extension Source where Self: Sink {
  package func requeue(_ delivery: Delivery) async throws(QueueError) {
    try await settle(delivery, publishing: [Publication(delivery.requeuedMessage, into: self)]).orThrow()
  }
}

extension Sink {
  /// Puts messages into it. Throws also if one of them is not taken.
  package func publish(_ messages: [Message]) async throws(QueueError) {
    for result in try await send(messages) { try result.orThrow() }
  }
}
