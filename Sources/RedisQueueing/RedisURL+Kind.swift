package import Queueing

extension RedisURL: QueueURL {
  package static let kind = QueueKind(
    ["redis:", "rediss:"], example: { _ in "redis://HOST/STREAM?group=NAME" }
  ) { (text, queue) throws(QueueError) in try RedisURL(text, defaultStream: queue) }

  /// With the database, unless that is 0: `1/incoming`.
  package var label: QueueLabel {
    QueueLabel(system: "redis", name: server.database == 0 ? stream : "\(server.database)/\(stream)")
  }

  package var needs: QueueNeeds { QueueNeeds(passwordFile: server.passwordFile, port: server.port) }

  /// Whatever the login.
  package func isSameQueue(as other: any QueueURL) -> Bool {
    guard let other = other as? RedisURL else { return false }
    return server.host.isSameHost(as: other.server.host)
      && (server.port, server.database, stream)
        == (other.server.port, other.server.database, other.stream)
  }

  package func sibling(_ name: String, of text: String) -> String? {
    let (front, query) = text.splitAtQuery
    // The third part is behind the scheme's two slashes. A login has none.
    let parts = front.split(separator: "/", omittingEmptySubsequences: false)
    let database = hasDatabaseInPath ? "\(parts[3])/" : ""
    return "\(parts.prefix(3).joined(separator: "/"))/\(database)\(name)\(query.isEmpty ? "" : "?\(query)")"
  }

  package func example(_ name: String) -> String { "redis://HOST/\(name)" }

  package func open(
    in queues: Queues, for use: QueueUse, createsFile: Bool
  ) throws(QueueError) -> any Queue {
    let store = try queues.store(at: server) { () throws(QueueError) in
      try RedisStore(server, certificateFile: queues.certificateFile)
    }
    return try RedisQueue(
      store: store, stream: stream, group: group, for: use, leaseDuration: queues.leaseDuration)
  }
}
