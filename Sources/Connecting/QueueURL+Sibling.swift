#if Redis
  internal import RedisQueueing
#endif

extension QueueURL {
  /// The URL of another queue at the same place: in the same file, database or virtual host, with the same login.
  /// - Parameters:
  ///   - name: of the other queue, of letters and `-`.
  ///   - text: this queue's own URL, as its user wrote it.
  package func sibling(_ name: String, of text: String) -> String {
    switch self {
    case .lines: return text
    case .sqlite(let path, _): return "sqlite:\(path)?queue=\(name)"
    #if Redis
      case .redis(let url):
        let (front, query) = text.splitAtQuery
        // The third part is behind the scheme's two slashes. A login has none.
        let parts = front.split(separator: "/", omittingEmptySubsequences: false)
        let database = url.hasDatabaseInPath ? "\(parts[3])/" : ""
        return
          "\(parts.prefix(3).joined(separator: "/"))/\(database)\(name)\(query.isEmpty ? "" : "?\(query)")"
    #endif
    #if RabbitMQ
      case .rabbitMQ:
        let (front, query) = text.splitAtQuery
        let own = ["queue=", "exchange=", "routing-key="]
        let others = query.split(separator: "&").filter { parameter in
          !own.contains { parameter.hasPrefix($0) }
        }
        return "\(front)?" + (["queue=\(name)"] + others.map { String($0) }).joined(separator: "&")
    #endif
    }
  }

  /// The same without anything of this queue's own URL, for one that is secret.
  package func example(_ name: String) -> String {
    switch self {
    case .lines: "-"
    case .sqlite: "sqlite:PATH?queue=\(name)"
    #if Redis
      case .redis: "redis://HOST/\(name)"
    #endif
    #if RabbitMQ
      case .rabbitMQ: "amqp://HOST/VHOST?queue=\(name)"
    #endif
    }
  }
}

extension String {
  /// What is before the first `?`, and what is behind it.
  fileprivate var splitAtQuery: (front: Substring, query: Substring) {
    let parts = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (parts[0], parts.dropFirst().first ?? "")
  }
}
