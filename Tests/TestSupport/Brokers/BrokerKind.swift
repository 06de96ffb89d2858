/// The brokers that this build knows: what holds for queues is tested with each. A new one is a new case.
package enum BrokerKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case sqlite = "SQLite"

  package var description: String { rawValue }

  /// Runs `body` with queues of its own at a broker that other tests may use at the same time.
  package func withBroker(_ body: (any Broker) async throws -> Void) async throws {
    switch self {
    case .sqlite: try await withMortalBroker(body)
    }
  }

  /// Runs `body` with a broker that nobody else uses, and stops it however `body` ends.
  package func withMortalBroker(_ body: (any MortalBroker) async throws -> Void) async throws {
    switch self {
    case .sqlite: try await withTemporaryDirectory { try await body(SQLiteBroker(folder: $0)) }
    }
  }
}
