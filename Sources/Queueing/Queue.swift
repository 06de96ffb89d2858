/// One named queue of a broker. Every implementation passes the same conformance suite.
///
/// A message is never lost: it is in the queue, on lease to a live process, or settled. All methods may be
/// called from any task at any time. All throw `QueueError`; after `.unavailable` the same call may be repeated.
///
/// Where the implementations differ:
///
/// |                  | SQLite            | Redis               | RabbitMQ                     | lines              |
/// |------------------|-------------------|---------------------|------------------------------|--------------------|
/// | a lease ends     | after its time    | after its time      | with the connection          | with the process   |
/// | its time         | set by the opener | the same, up to 90 s | none                        | none               |
/// | after a lease    | handed out again  | handed out again    | handed out again             | lost               |
/// | a release        | is not counted    | is not counted      | may count as a crash         | is not counted     |
/// | "durable" means  | synced to disk    | what `appendfsync` of the server makes it | confirmed | given to the kernel |
/// | settlements      | in any order      | in any order        | in any order                 | in order of lines  |
/// | settle, publish  | one transaction in the same file | one transaction on the same server | one by one | one by one |
/// | `isEmpty` counts | all messages      | all messages        | those not handed out to others | cannot be told   |
/// | `backlog`        | exact, no age     | see `Backlog`       | `waiting` only               | nil                |
package protocol Queue: Sendable {
  /// Hands out up to `limit` messages, oldest first, each on lease. Fewer if they are long: what is held of
  /// them at once is bounded.
  ///
  /// - Parameter duration: how long to wait for the first one.
  /// - Returns: none when there is none yet; nil when there will never be one again, as at the end of a file.
  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]?

  /// Starts the leases anew. A delivery whose lease was lost is skipped.
  func extend(_ deliveries: [Delivery]) async throws(QueueError)

  /// Gives deliveries back unprocessed, at the front of the queue. Where the broker allows it, their hand-out
  /// is not counted.
  func release(_ deliveries: [Delivery]) async throws(QueueError)

  /// Puts messages into the queue, in this order. They are as durable as the broker makes them when this returns.
  func publish(_ messages: [Message]) async throws(QueueError)

  /// Publishes `publications` in order, then removes the delivery. Trailing ones in the same store commit in
  /// the same transaction. Otherwise a crash may publish one twice, never zero times. Publications that are
  /// confirmed already are skipped, so a settlement may be retried.
  ///
  /// - Throws: `QueueError.leaseLost` when somebody else has the message by now, and publishes it again.
  func settle(_ delivery: Delivery, publishing publications: [Publication]) async throws(QueueError)

  /// The oldest messages, at most `limit`, without taking them: for people who look.
  func browse(_ limit: Int) async throws(QueueError) -> [Message]

  /// Whether the queue holds nothing. Messages on lease to others count where the broker tells.
  var isEmpty: Bool { get async throws(QueueError) }

  /// How much there is to do; nil where that cannot be known, as for a pipe. May take time that grows with the
  /// queue: to be asked now and then.
  var backlog: Backlog? { get async throws(QueueError) }
}

extension Queue {
  package var isEmpty: Bool {
    get async throws(QueueError) { try await browse(1).isEmpty }
  }

  package var backlog: Backlog? {
    get async throws(QueueError) { nil }
  }
}

/// How much of messages is held in memory, in bytes.
package enum MessageLimits {
  /// A batch that has reached this size takes no further message: 64 payloads of 4 KB each.
  package static let maximumBatchSize = 262_144
  /// Longer bodies from a server are truncated to this: twice the longest payload, so that a truncated body is
  /// refused as one.
  package static let maximumBodySize = 131_072
  /// Suffix of the queue that keeps in full what was truncated in another, where the broker allows it.
  package static let tooLongSuffix = "-too-long"
}

/// How long a message is out before it is handed to somebody else.
package enum QueueLease {
  /// Three times the longest deadline: what is slow to publish is not done twice.
  package static let duration = Duration.seconds(90)
}

/// Why a queue does not do what was asked.
package enum QueueError: Error, Equatable, CustomStringConvertible {
  /// The URL names no queue. `right` is one that would.
  case urlInvalid(String, right: String)
  /// The broker cannot be reached, or not now: worth another try.
  case unavailable(String)
  /// The broker refuses, and would again: a wrong password, a queue that is not there.
  case refused(String)
  /// The delivery is somebody else's by now.
  case leaseLost(id: String)

  package var description: String {
    switch self {
    case .urlInvalid(let url, let right): "'\(url)' is no queue: write one like \(right)"
    case .unavailable(let detail), .refused(let detail): detail
    case .leaseLost(let id): "message \(id) took longer than its lease and is somebody else's by now"
    }
  }
}
