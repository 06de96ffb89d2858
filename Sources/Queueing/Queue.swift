/// Where messages are taken from. Every implementation passes the same conformance suite.
///
/// A message is never lost, except by lines: it is in the queue, on lease to a live process, or
/// settled. Any task may call any method. Errors concern the connection. After `.unavailable`, the
/// caller may try again. A message of a door (`HTTPQueueing`) ends with the connection of its
/// client, who knows that.
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
  /// Puts up to `limit` messages on lease, oldest first. Returns fewer if they are long.
  /// - Parameter duration: how long to wait for the first message.
  /// - Returns: an empty array if there is no message yet. Nil if there will never be one again.
  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]?

  /// How long a lease lasts unless `extend` renews it. Nil if it lasts as long as its holder.
  var leaseTime: Duration? { get }

  /// Renews the leases of these deliveries for `leaseTime` from now. Skips leases that are lost.
  func extend(_ deliveries: [Delivery]) async throws(QueueError)

  /// Puts deliveries back at the front of the queue. If possible, they do not count as handed out.
  func release(_ deliveries: [Delivery]) async throws(QueueError)

  /// Publishes in order, then removes the delivery. Publications at the end that go to the same
  /// store share a transaction with the removal. Others may be published twice if the process
  /// crashes, but are never lost. Skips confirmed publications, so a settlement may be retried.
  /// - Returns: `sent`, or the first other answer to a publication. In that case the lease
  ///   continues.
  /// - Throws: `QueueError.leaseLost` if another process has the message and publishes it again.
  @discardableResult
  func settle(_ delivery: Delivery, publishing: [Publication]) async throws(QueueError) -> SendResult

  /// Puts the message at the end of this queue, without counting this hand-out, and removes the
  /// delivery. If the process crashes in between, the message is in the queue twice.
  /// - Throws: `QueueError.leaseLost` if another process has the message now.
  func requeue(_ delivery: Delivery) async throws(QueueError)

  /// Returns up to `limit` of the oldest messages without taking them, for people who want to look.
  func browse(_ limit: Int) async throws(QueueError) -> [Message]

  /// Whether the queue is empty. Messages on lease elsewhere count if the broker reports them. Those
  /// that are put aside (`PostponingSource`) do not.
  var isEmpty: Bool { get async throws(QueueError) }

  /// How often this process has looked for processes that were killed, because the broker does not notice.
  /// Their messages are handed out after `QueueLease.missingSigns` looks in a row without a sign of life. Nil if
  /// the broker notices.
  var lookCount: Int? { get }

  /// How much is left to do. Nil if that cannot be known, as for a pipe. Slower for a longer queue.
  var backlog: Backlog? { get async throws(QueueError) }
}

/// Where messages are put.
package protocol Sink: Sendable {
  /// Puts messages into the sink, in this order.
  /// - Returns: one answer for each message.
  /// - Throws: errors of the whole connection. Some of the messages may have been taken.
  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult]
}

/// A sink that learns which device tokens are dead.
package protocol DeadTokenSink: Sink {
  /// Puts a record of each dead token into `sink` from now on. Their messages count as sent.
  func report(deadTokensTo sink: any Sink)
}

/// A queue that messages can be both put into and taken from.
package typealias Queue = Source & Sink

/// A source that may hold messages that `receive` has not returned yet. A worker that stops works
/// on them, too: they are lost otherwise, or count as handed out.
package protocol PrefetchingSource: Source {
  /// Allows the source to have messages on lease even if `receive` asked for fewer.
  func prefetch(upTo prefetch: Prefetch)

  /// Ends `receive`. If possible, puts back for others what was read ahead, as for lines of a file.
  func stopReceiving() async

  /// Hands out what `stopReceiving` could not put back. Does not wait for the first message.
  /// - Parameter waits: whether to wait for the rest of a message, or hand it out partly read.
  /// - Returns: an empty array if no message has come yet, or nil if there are no more.
  func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]?
}

/// How many messages a source may have on lease: one for each place, one for each message whose result is
/// being published and so needs no place, and no more than `limit` in all.
package struct Prefetch: Sendable {
  let places: Int
  let limit: Int

  package init(places: Int, limit: Int) {
    (self.places, self.limit) = (places, limit)
  }

  package func most(publishing count: Int) -> Int { min(places + count, limit) }
}

/// A source that cannot take deliveries back, such as a pipe. A worker that stops has to drain it,
/// or what was read is lost. Settlements wait for those of earlier deliveries.
package protocol DrainableSource: PrefetchingSource {
  /// Waits until what was settled has left the process. The last call before the process ends.
  func finish() async
}

extension DrainableSource {
  package func prefetch(upTo prefetch: Prefetch) {}
  package func finish() async {}
}

/// How many messages a queue holds. Values that the broker does not report are nil.
package struct Backlog: Equatable, Sendable {
  /// Messages that have not been handed out, or were released. Not those that are put aside.
  package let waiting: Int
  /// Messages being worked on. Those of an ended process count until the next `receive`.
  package let onLease: Int?
  /// The time since the oldest of all these messages was put into the queue.
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
  package var lookCount: Int? { nil }
  package var backlog: Backlog? { get async throws(QueueError) { nil } }
}

extension Source where Self: Sink {
  package func requeue(_ delivery: Delivery) async throws(QueueError) {
    try await settle(delivery, publishing: [Publication(delivery.requeuedMessage, into: self)]).orThrow()
  }
}

extension Sink {
  /// Puts messages into the sink. Throws even if only one of them is not taken.
  package func publish(_ messages: [Message]) async throws(QueueError) {
    for result in try await send(messages) { try result.orThrow() }
  }
}
