package import Queueing

/// `redis[s]://[[USER]:PASSWORD@]HOST[:PORT]/STREAM[?group=NAME][&password-file=PATH]`: a queue, and the
/// login.
package struct RedisURL: Equatable, Sendable {
  package let server: RedisServer
  /// The key of the stream.
  package let stream: String
  package let group: String

  static let defaultGroup = "push-enricher"

  /// - Parameter defaultStream: for a URL that names none.
  /// - Throws: `QueueError.urlInvalid` with what would be right.
  package init(_ text: String, defaultStream: String) throws(QueueError) {
    do throws(URLFault) {
      let url = try BrokerURL(text, parameters: ["group"])
      server = try RedisServer(url)
      let path = url.path.joined(separator: "/")
      stream = path.isEmpty ? defaultStream : path
      group = url.parameters["group"] ?? Self.defaultGroup
    } catch {
      throw .urlInvalid(
        text.withoutPassword, error, right: "redis://HOST/\(defaultStream)?group=\(Self.defaultGroup)")
    }
  }

  /// Whether both lead to the same messages, whatever the login.
  package func isSameStream(as other: RedisURL) -> Bool {
    server.host.isSameHost(as: other.server.host)
      && (server.port, stream) == (other.server.port, other.stream)
  }
}
