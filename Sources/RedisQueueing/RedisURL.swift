package import Queueing

/// `redis[s]://[[USER]:PASSWORD@]HOST[:PORT]/[DATABASE/]STREAM[?group=NAME][&db=DATABASE][&password-file=PATH]`:
/// names a stream and its group, and holds the login.
package struct RedisURL: QueueURL {
  package static let kind = QueueKind(
    ["redis:", "rediss:"], example: { _ in "redis://HOST/STREAM?group=NAME" }
  ) { (text, queue) throws(QueueError) in try RedisURL(text, defaultStream: queue) }

  private static let defaultGroup = "push-enricher"

  let server: RedisServer
  /// The key of the stream.
  let stream: String
  let group: String
  /// Whether the path begins with a database number.
  private let hasDatabaseInPath: Bool

  /// - Parameter defaultStream: used if the URL does not name a stream.
  /// - Throws: `QueueError.urlInvalid` with a corrected URL.
  init(_ text: String, defaultStream: String) throws(QueueError) {
    do throws(URLFault) {
      let url = try BrokerURL(text, parameters: ["group", "db"])
      let path = try RedisPath(url, defaultStream: defaultStream)
      server = try RedisServer(url, database: path.database)
      (stream, hasDatabaseInPath) = (path.stream, path.hasDatabase)
      group = url.parameters["group"] ?? Self.defaultGroup
    } catch {
      let right = error.right ?? "redis://HOST/\(defaultStream)?group=\(Self.defaultGroup)"
      throw .urlInvalid(text.withoutPassword, error, right: right)
    }
  }

  /// Contains the database unless that is 0: `1/incoming`.
  package var label: QueueLabel {
    QueueLabel(system: "redis", name: server.database == 0 ? stream : "\(server.database)/\(stream)")
  }

  package var needs: QueueNeeds { QueueNeeds(passwordFile: server.passwordFile, port: server.port) }

  /// The login does not matter.
  package func isSameQueue(as other: any QueueURL) -> Bool {
    guard let other = other as? RedisURL else { return false }
    return server.host.isSameHost(as: other.server.host)
      && (server.port, server.database, stream) == (other.server.port, other.server.database, other.stream)
  }

  package func sibling(_ name: String, of text: String) -> String? {
    let (front, query) = text.splitAtQuery
    // The third part comes after the two slashes of the scheme. A login has no slash.
    let parts = front.split(separator: "/", omittingEmptySubsequences: false)
    let path = parts.prefix(hasDatabaseInPath ? 4 : 3) + [name[...]]
    return path.joined(separator: "/") + (query.isEmpty ? "" : "?\(query)")
  }

  package func example(_ name: String) -> String { "redis://HOST/\(name)" }

  package func open(
    in queues: Queues, for use: QueueUse, createsFile: Bool
  ) throws(QueueError) -> any Queue {
    let store = try queues.store(at: server) { () throws(QueueError) in
      try RedisStore(server, certificateFile: queues.certificateFile)
    }
    return try RedisQueue(
      store: store, stream: stream, group: group, for: use, leaseDuration: queues.leaseDuration,
      keepsOrder: queues.keepsOrder)
  }
}
