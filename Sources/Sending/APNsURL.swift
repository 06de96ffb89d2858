package import Queueing
internal import Supporting

/// `apns://HOST[:PORT]?key=FILE&key-id=ID&team-id=ID[&topic=TOPIC][&connections=N][&rate=N]`, or with
/// `certificate=FILE` instead of the key: Apple Push Notification service, as a target.
package struct APNsURL: QueueURL {
  package static let kind = QueueKind(["apns:"], example: { _ in Self.example }) {
    (text, _) throws(QueueError) in
    try APNsURL(text)
  }

  private static let example = "apns://HOST?key=FILE&key-id=ID&team-id=ID"
  static let right =
    "apns://api.push.apple.com?key=AuthKey_ABC123DEFG.p8&key-id=ABC123DEFG&team-id=DEF123GHIJ"
  private static let names = ["key", "key-id", "team-id", "certificate", "topic", "connections", "rate"]
  private static let maximumConnections = 8
  private static let maximumRate = 1_000_000

  enum Login: Hashable, Sendable {
    case key(file: String, id: String, team: String)
    case certificate(file: String)
  }

  let host: String
  let port: Int
  let login: Login
  let topic: String?
  let connections: Int
  let rate: Int?

  init(_ text: String) throws(QueueError) {
    do throws(URLFault) {
      try self.init(BrokerURL(text, parameters: Self.names, takesPassword: false))
    } catch {
      throw .urlInvalid(text.withoutPassword, error, right: error.right ?? Self.right)
    }
  }

  private init(_ url: BrokerURL) throws(URLFault) {
    guard url.user == nil else {
      throw URLFault("it has no user and no password: APNs takes a key, or a certificate")
    }
    guard url.path.allSatisfy(\.isEmpty) else { throw URLFault("it has no path") }
    (host, port, topic) = (url.host, url.port ?? 443, url.parameters["topic"])
    if let topic, !PushRequest.isTopic(topic) {
      throw URLFault("its parameter topic is a bundle id, like com.example.app", topic.printable[...])
    }
    login = try Self.login(url.parameters)
    connections =
      try Self.number("connections", in: 1...Self.maximumConnections, url.parameters)
      ?? Self.maximumConnections
    rate = try Self.number("rate", in: 1...Self.maximumRate, url.parameters)
  }

  private static func login(_ values: [String: String]) throws(URLFault) -> Login {
    if let file = values["certificate"] {
      guard values["key"] == nil, values["key-id"] == nil, values["team-id"] == nil else {
        throw URLFault("it has a key or a certificate, and not both")
      }
      return .certificate(file: file)
    }
    guard let file = values["key"] else {
      throw URLFault(
        "its parameter key is missing, the file of a signing key (.p8), and so is certificate, the file of a certificate"
      )
    }
    return .key(
      file: file, id: try id("key-id", of: "the key", values), team: try id("team-id", of: "the team", values)
    )
  }

  /// Apple's ids have ten letters and digits.
  private static func id(
    _ name: String, of owner: String, _ values: [String: String]
  ) throws(URLFault) -> String {
    guard let value = values[name] else {
      throw URLFault(
        "its parameter \(name) is missing: the id of \(owner), ten letters and digits, in Apple's developer account"
      )
    }
    guard value.utf8.count == 10, value.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
      throw URLFault(
        "its parameter \(name) has ten letters and digits, as in Apple's developer account", value[...])
    }
    return value.uppercased()
  }

  private static func number(
    _ name: String, in range: ClosedRange<Int>, _ values: [String: String]
  ) throws(URLFault) -> Int? {
    guard let text = values[name] else { return nil }
    guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text), range.contains(number) else {
      throw URLFault(
        "its parameter \(name) is a number from \(range.lowerBound) to \(range.upperBound)", text[...])
    }
    return number
  }

  package var label: QueueLabel { QueueLabel(system: "apns", name: host) }

  package var sendsToDevices: Bool { true }

  package var needs: QueueNeeds {
    switch login {
    case .key(let file, _, _), .certificate(let file): QueueNeeds(passwordFile: file, port: port)
    }
  }

  /// Compares host, port and login, although nothing can be taken from APNs.
  package func isSameQueue(as other: any QueueURL) -> Bool {
    guard let other = other as? APNsURL else { return false }
    return host.isSameHost(as: other.host) && (port, login) == (other.port, other.login)
  }

  package func sibling(_ name: String, of text: String) -> String? { nil }
  package func example(_ name: String) -> String { Self.example }

  package func open(in queues: Queues, for use: QueueUse, createsFile: Bool) throws(QueueError) -> any Queue {
    guard use == .adding else {
      throw .refused("APNs is a target: name it with --to, and take from a queue")
    }
    return try APNsSink(self, in: queues)
  }

  func credentials() throws(QueueError) -> Credentials {
    switch login {
    case .key(let file, let id, let team): .token(try ProviderToken(file: file, keyID: id, teamID: team))
    case .certificate(let file): .certificate(try ClientCertificate(file: file))
    }
  }
}
