internal import Queueing
internal import Supporting

extension RabbitMQURL {
  /// A server, and the login for it.
  struct Server {
    let isSecure: Bool
    /// A name or an address. An IPv6 address has no brackets here.
    let host: String
    let port: Int
    let user: String
    let password: String
    let vhost: String
    /// Read at each connection, so that the password may change.
    let passwordFile: String?

    /// How error messages name the server.
    var name: String { "RabbitMQ at \(host.bracketingIPv6):\(port)" }
    func unavailable(_ reason: String) -> QueueError { .unavailable("\(name) \(reason)") }
    func refused(_ reason: String) -> QueueError { .refused("\(name) \(reason)") }

    var currentPassword: String {
      get throws(QueueError) { try passwordFile.map(PasswordFile.read) ?? password }
    }

    init(_ url: BrokerURL, defaultQueue: String) throws(URLFault) {
      guard url.path.count <= 1 else {
        let right = Self.url(like: url, defaultQueue: defaultQueue)
        throw URLFault("a / in its virtual host is written %2F", right: right)
      }
      isSecure = url.scheme == "amqps"
      (host, port) = (url.host, url.port ?? (isSecure ? 5671 : 5672))
      // If the URL has no login, uses the one that RabbitMQ is installed with.
      (user, password) = (url.user ?? "guest", url.password ?? (url.user == nil ? "guest" : ""))
      passwordFile = url.passwordFile
      let vhost = url.path.first ?? ""
      self.vhost = vhost.isEmpty ? "/" : vhost
      let maximum = AMQPIdentifier.maximumLength
      guard vhost.utf8.count <= maximum else {
        throw URLFault("its virtual host has at most \(maximum) bytes")
      }
    }

    /// The URL that was probably meant by a path of two parts. Celery writes `//` for the virtual
    /// host `/`, and other clients write `/VHOST/QUEUE` to name the queue. Nil for any other path.
    private static func url(like url: BrokerURL, defaultQueue: String) -> String? {
      let path = url.path
      guard path.count == 2, path.allSatisfy({ $0.utf8.allSatisfy(\.isUnreserved) }) else { return nil }
      let (vhost, queue) = (path[0].isEmpty ? "%2F" : path[0], path[1].isEmpty ? defaultQueue : path[1])
      let named = url.parameters["queue"] == nil && url.parameters["exchange"] == nil
      let query = (named ? ["queue=\(queue)"] : []) + (url.query.isEmpty ? [] : [url.query])
      return "\(url.place)/\(vhost)?\(query.joined(separator: "&"))"
    }
  }
}
