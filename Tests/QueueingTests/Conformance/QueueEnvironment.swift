import Queueing
import TestSupport
import Testing

/// Where the conformance suite runs: one for each implementation that others may share. A new one is a new element of `all`.
protocol QueueEnvironment: Sendable, CustomTestStringConvertible {
  /// Runs `body` with a broker that holds nothing.
  func withBroker(_ body: (any Broker) async throws -> Void) async throws
}

/// What keeps the queues. Whoever opens one of its URLs with `Queues` of their own is another consumer.
protocol Broker: Sendable {
  func url(_ queue: String) -> String
}

extension Broker {
  /// A queue as a new consumer sees it.
  func open(_ queue: String, lease: Duration = QueueLease.duration) throws -> any Queue {
    try Queues(leaseDuration: lease).open(url(queue), defaultQueue: queue)
  }
}

/// A broker that can be killed and started again, with what it had.
protocol RestartableBroker: Broker {
  func restart() async throws
}

enum Environments {
  static let all: [any QueueEnvironment] = [SQLiteEnvironment()]
}

struct SQLiteEnvironment: QueueEnvironment {
  let testDescription = "SQLite"

  func withBroker(_ body: (any Broker) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in try await body(SQLiteFile(path: folder.path(of: "queue.db")))
    }
  }
}

struct SQLiteFile: Broker {
  let path: String

  func url(_ queue: String) -> String { "sqlite:\(path)?queue=\(queue)" }
}
