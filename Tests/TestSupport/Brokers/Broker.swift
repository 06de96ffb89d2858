/// A broker as one test sees it. A test that opens a URL with its own `Queues` is another consumer.
package protocol Broker: Sendable {
  /// Returns the URL of the queue `name`. The queue is empty at first, and no two tests share it.
  func url(_ name: String) -> String
}

/// A broker that belongs to one test, which may stop it.
package protocol MortalBroker: Broker {
  /// The name that push-enricher uses for it in its messages.
  var name: String { get }

  /// Ends it at once, like a power cut. Everything that it has confirmed is kept.
  func kill() async throws

  /// Brings it back under the same URLs and with the same data. Returns once it can be reached.
  func restart() async throws

  /// Fills its disk.
  /// - Parameter consumer: the process that uses the broker. If there is no server, it is this
  ///   process whose disk is full.
  func fillDisk(of consumer: Int32) async throws

  /// Undoes `fillDisk`.
  func freeDisk(of consumer: Int32) async throws
}

extension MortalBroker {
  /// Stops the broker, runs `body`, and starts the broker again.
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
