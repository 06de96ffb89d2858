/// `redis[s]://[USER:PASSWORD@]HOST[:PORT]/STREAM?group=NAME`: where a queue is, and who asks.
package struct RedisURL: Equatable, Sendable {
  /// A server and who asks it: queues of one server share a connection.
  package struct Server: Hashable, Sendable {
    package var isSecure: Bool
    /// A name or an address; one of IPv6 without its brackets.
    package var host: String
    package var port: Int
    package var user: String?
    package var password: String?
  }

  package let server: Server
  /// The key of the stream.
  package let stream: String
  package let group: String

  static let defaultGroup = "push-enricher"
}
