internal import Queueing
internal import Synchronization

/// Publishes messages into the queue that they came from, over a connection of its own, which is made at
/// first use.
///
/// The connection that holds the leases must not do it: an alarm blocks one that publishes, a refusal ends
/// it, and all leases would end with it.
final class RabbitMQRequeuer: Sendable {
  private let url: RabbitMQURL
  private let certificateFile: String?
  private let tell: @Sendable (String) -> Void
  private let client = Mutex<RabbitMQClient?>(nil)

  init(_ url: RabbitMQURL, certificateFile: String?, tell: @escaping @Sendable (String) -> Void) {
    self.url = url
    self.certificateFile = certificateFile
    self.tell = tell
  }

  /// - Parameter queue: published into as it is, whatever exchange the URL names beside it.
  func publish(_ message: Message, into queue: String) async throws(QueueError) {
    try await client(of: queue).publish([message])
  }

  private func client(of queue: String) throws(QueueError) -> RabbitMQClient {
    try client.withLock { (client) throws(QueueError) in
      if let client { return client }
      var url = url
      url.target = RabbitMQURL.Target(exchange: "", routingKey: queue)
      let new = try RabbitMQClient(url, certificateFile: certificateFile, connects: false, tell: tell)
      client = new
      return new
    }
  }
}
