import Glibc
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

  /// Runs `body` while the broker is away, as when it is killed; afterwards it is back, with what it had.
  func withOutage(_ body: () async throws -> Void) async throws
}

extension Broker {
  /// A queue as a new consumer sees it.
  func open(_ queue: String, lease: Duration = QueueLease.duration) throws -> any Queue {
    try Queues(leaseDuration: lease).open(url(queue), defaultQueue: queue)
  }
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

  /// There is no server to be killed: the file is out of reach.
  func withOutage(_ body: () async throws -> Void) async throws {
    let away = "\(path)-away"
    unsafe rename(path, away)
    defer { unsafe rename(away, path) }
    try await body()
  }
}
