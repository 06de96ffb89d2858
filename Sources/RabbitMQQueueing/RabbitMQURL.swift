package import Queueing
internal import Supporting

/// `amqp[s]://[USER:PASSWORD@]HOST[:PORT]/VHOST?queue=NAME&exchange=NAME&routing-key=KEY&queue-type=TYPE&password-file=PATH`:
/// a queue, and the login.
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
    /// Whether the password is in the URL.
    fileprivate var isPasswordGiven: Bool
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
    guard let url = Self(parts: text, defaultQueue: defaultQueue) else {
      throw .urlInvalid(
        text.withoutPassword, right: "amqp://USER:PASSWORD@localhost:5672/VHOST?queue=\(defaultQueue)")
    }
    self = url
  }

  /// Whether both name one queue and no exchange, which might put messages anywhere.
  package func isSameQueue(as other: RabbitMQURL) -> Bool {
    server.host.isSameHost(as: other.server.host) && server.port == other.server.port
      && server.vhost == other.server.vhost
      && queue == other.queue && queue == other.target.routingKey && other.target.exchange.isEmpty
  }

  private init?(parts text: String, defaultQueue: String) {
    guard let scheme = text.firstRange(of: "://") else { return nil }
    let isSecure = text[..<scheme.lowerBound].lowercased() == "amqps"
    let halves = text[scheme.upperBound...].split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard var server = Server(halves.first ?? "", isSecure: isSecure) else { return nil }
    var values: [String: String] = [:]
    for parameter in halves.dropFirst().joined().split(separator: "&") {
      let sides = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // An unknown option is a mistake, and ignoring it would hide that.
      guard sides.count == 2, let value = sides[1].percentDecoded, (1...255).contains(value.utf8.count),
        ["queue", "exchange", "routing-key", "queue-type", "password-file"].contains(sides[0]),
        values.updateValue(value, forKey: String(sides[0])) == nil
      else { return nil }
    }
    if let file = values["password-file"] {
      // Which of the two counts would be a guess.
      guard !server.isPasswordGiven else { return nil }
      server.passwordFile = file
    }
    self.server = server
    queue = values["queue"] ?? (values["exchange"] == nil ? defaultQueue : nil)
    target = Target(exchange: values["exchange"] ?? "", routingKey: values["routing-key"] ?? queue ?? "")
    guard let queueType = QueueType(rawValue: values["queue-type"] ?? "quorum") else { return nil }
    self.queueType = queueType
    if values["exchange"] == nil, values["routing-key"] != nil { return nil }
  }
}

extension RabbitMQURL.Server {
  /// - Parameter text: the text between `://` and `?`.
  fileprivate init?(_ text: Substring, isSecure: Bool) {
    // A password may contain an unescaped `@`; a host may not.
    let at = text.lastIndex(of: "@")
    let location = at.map { text[text.index(after: $0)...] } ?? text
    let slash = location.firstIndex(of: "/")
    let vhost = slash.map { location[location.index(after: $0)...] } ?? ""
    guard !vhost.contains("/"), let vhost = vhost.percentDecoded else { return nil }
    guard
      let address = Self.address(
        location[..<(slash ?? location.endIndex)], defaultPort: isSecure ? 5671 : 5672)
    else { return nil }
    let names = (at.map { text[..<$0] } ?? "guest").split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    // Without a login in the URL: the one with which RabbitMQ is installed.
    let secret = names.dropFirst().first ?? (at == nil ? "guest" : "")
    guard let user = names.first?.percentDecoded, let password = secret.percentDecoded else { return nil }
    self.init(
      isSecure: isSecure, host: address.host, port: address.port, user: user, password: password,
      vhost: vhost.isEmpty ? "/" : vhost, isPasswordGiven: names.count > 1)
  }

  private static func address(_ text: Substring, defaultPort: Int) -> (host: String, port: Int)? {
    var host = text
    var port = defaultPort
    let end = text.lastIndex(of: "]") ?? text.startIndex
    if let colon = text[end...].lastIndex(of: ":") {
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
      port = Int(number)
      host = text[..<colon]
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    return (String(host), port)
  }
}
