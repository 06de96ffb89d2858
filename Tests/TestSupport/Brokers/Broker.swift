/// What keeps queues, as one test sees it. Whoever opens one of its URLs with `Queues` of their own is
/// another consumer.
package protocol Broker: Sendable {
  /// The URL of the queue `name`, which is empty at first: no two tests have the same.
  func url(_ name: String) -> String
}

/// A broker that belongs to one test, which may take it away.
package protocol MortalBroker: Broker {
  /// What push-enricher calls it when it speaks of it.
  var name: String { get }

  /// Ends it at once, as a power cut does. What it has confirmed is kept.
  func kill() async throws

  /// Brings it back under the same URLs, with what it had. Returns once it can be reached.
  func restart() async throws

  /// Leaves no space on its disk.
  /// - Parameter consumer: the process that works with it, whose disk that is where there is no server.
  func fillDisk(of consumer: Int32) async throws

  /// Takes back `fillDisk`.
  func freeDisk(of consumer: Int32) async throws
}

extension MortalBroker {
  /// Runs `body` while the broker is away; afterwards it is back.
  package func withOutage(_ body: () async throws -> Void) async throws {
    try await kill()
    do {
      try await body()
    } catch {
      try await restart()
      throw error
    }
    try await restart()
  }
}
