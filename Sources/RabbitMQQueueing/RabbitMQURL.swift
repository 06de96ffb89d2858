package import Queueing
internal import Supporting

/// A queue, and the login: `amqp[s]://[USER:PASSWORD@]HOST[:PORT]/VHOST?queue=NAME`, with the parameters
/// `exchange=NAME`, `routing-key=KEY`, `queue-type=TYPE` and `password-file=PATH` where they are wanted.
package struct RabbitMQURL: Equatable, Sendable {
  /// A server and the login there.
  package struct Server: Equatable, Sendable {
    package var isSecure: Bool
    /// A name or an address; one of IPv6 without its brackets.
    package var host: String
    package var port: Int
    package var user: String
    package var password: String
    package var vhost: String
    /// Where the password is read from instead, at each connection, so that it may change.
    package var passwordFile: String?

    /// For messages: without the password.
    var name: String { "RabbitMQ at \(host.bracketingIPv6):\(port)" }

    /// - Throws: `QueueError.refused` where it cannot be read.
    var currentPassword: String {
      get throws(QueueError) { try passwordFile.map(PasswordFile.read) ?? password }
    }
  }

  package var server: Server
  /// Where messages are taken from, and where they are put unless there is an exchange; nil where only an
  /// exchange is named.
  package let queue: String?
  /// Where messages are published: an exchange, and the routing key, which is that of the URL, else the name
  /// of the queue, else empty. The exchange without a name routes to the queue named by the key (AMQP 0-9-1
  /// section 3.1.3.1).
  package internal(set) var target: Target
  /// The type with which a missing queue is created.
  package let queueType: QueueType

  package struct Target: Equatable, Sendable {
    package let exchange: String
    package let routingKey: String
  }

  package enum QueueType: String, Sendable {
    /// Replicated; counts how often a message was handed out.
    case quorum
    case classic
  }

  /// - Parameter defaultQueue: the queue where `text` names neither queue nor exchange.
  /// - Throws: `QueueError.urlInvalid` with what would be right.
  package init(_ text: String, defaultQueue: String) throws(QueueError) {
    do throws(URLFault) {
      try self.init(
        BrokerURL(text, parameters: ["queue", "exchange", "routing-key", "queue-type"]), defaultQueue)
    } catch {
      throw .urlInvalid(
        text.withoutPassword, error,
        right: error.right ?? "amqp://USER:PASSWORD@localhost:5672/VHOST?queue=\(defaultQueue)")
    }
  }

  private init(_ url: BrokerURL, _ defaultQueue: String) throws(URLFault) {
    server = try Server(url, defaultQueue)
    let values = url.parameters
    let maximum = AMQPIdentifier.maximumLength
    for (name, value) in values where value.utf8.count > maximum {
      throw URLFault("its parameter \(name) has at most \(maximum) bytes")
    }
    queue = values["queue"] ?? (values["exchange"] == nil ? defaultQueue : nil)
    target = Target(exchange: values["exchange"] ?? "", routingKey: values["routing-key"] ?? queue ?? "")
    guard let queueType = QueueType(rawValue: values["queue-type"] ?? "quorum") else {
      throw URLFault("its parameter queue-type is quorum or classic")
    }
    self.queueType = queueType
    guard values["routing-key"] == nil || values["exchange"] != nil else {
      throw URLFault("its parameter routing-key is for an exchange, and there is none")
    }
  }
}

extension RabbitMQURL.Server {
  fileprivate init(_ url: BrokerURL, _ defaultQueue: String) throws(URLFault) {
    guard url.path.count <= 1 else {
      throw URLFault(
        "a / in its virtual host is written %2F", right: Self.url(like: url, defaultQueue))
    }
    isSecure = url.scheme == "amqps"
    host = url.host
    port = url.port ?? (isSecure ? 5671 : 5672)
    // Without a login in the URL: the one with which RabbitMQ is installed.
    user = url.user ?? "guest"
    password = url.password ?? (url.user == nil ? "guest" : "")
    let vhost = url.path.first ?? ""
    self.vhost = vhost.isEmpty ? "/" : vhost
    passwordFile = url.passwordFile
    let maximum = AMQPIdentifier.maximumLength
    guard vhost.utf8.count <= maximum else {
      throw URLFault("its virtual host has at most \(maximum) bytes")
    }
  }

  /// What was probably meant by a path of several parts: `//` is the virtual host `/`, as Celery writes it, and
  /// `/VHOST/QUEUE` names the queue as other clients do. Nil for anything else.
  private static func url(like url: BrokerURL, _ defaultQueue: String) -> String? {
    let path = url.path
    guard path.allSatisfy({ $0.utf8.allSatisfy(\.isUnreserved) }), path.count == 2 else { return nil }
    let (vhost, queue) = (path[0].isEmpty ? "%2F" : path[0], path[1].isEmpty ? defaultQueue : path[1])
    let named = url.parameters["queue"] == nil && url.parameters["exchange"] == nil
    let query = (named ? ["queue=\(queue)"] : []) + (url.query.isEmpty ? [] : [url.query])
    return "\(url.place)/\(vhost)?\(query.joined(separator: "&"))"
  }
}
