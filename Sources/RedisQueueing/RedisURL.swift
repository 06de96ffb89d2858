package import Queueing

/// `redis[s]://[[USER]:PASSWORD@]HOST[:PORT]/[DATABASE/]STREAM[?group=NAME][&db=DATABASE][&password-file=PATH]`:
/// a queue, and the login.
package struct RedisURL: Equatable, Sendable {
  package let server: RedisServer
  /// The key of the stream.
  package let stream: String
  package let group: String
  /// Whether the path begins with the number of the database.
  package let hasDatabaseInPath: Bool

  static let defaultGroup = "push-enricher"

  /// - Parameter defaultStream: for a URL that names none.
  /// - Throws: `QueueError.urlInvalid` with what would be right.
  package init(_ text: String, defaultStream: String) throws(QueueError) {
    do throws(URLFault) {
      let url = try BrokerURL(text, parameters: ["group", "db"])
      let path = try RedisPath(url, defaultStream: defaultStream)
      server = try RedisServer(url, database: path.database)
      stream = path.stream
      hasDatabaseInPath = path.hasDatabase
      group = url.parameters["group"] ?? Self.defaultGroup
    } catch {
      throw .urlInvalid(
        text.withoutPassword, error,
        right: error.right ?? "redis://HOST/\(defaultStream)?group=\(Self.defaultGroup)")
    }
  }
}
