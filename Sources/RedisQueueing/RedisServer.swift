internal import Queueing
internal import Supporting

/// A database on a server, and the login there. Queues with equal values share a connection.
struct RedisServer: Hashable, Sendable {
  let isSecure: Bool
  /// A name or an address. An IPv6 address has no brackets here.
  let host: String
  let port: Int
  let user: String?
  let password: String?
  /// Read for each connection, so that the password may change.
  let passwordFile: String?
  /// Each database has its own streams. A new connection uses database 0.
  let database: Int

  init(_ url: BrokerURL, database: Int) throws(URLFault) {
    isSecure = url.scheme == "rediss"
    (host, port) = (url.host, url.port ?? 6379)
    (user, password, passwordFile) = (url.user == "" ? nil : url.user, url.password, url.passwordFile)
    self.database = database
    guard url.isLoginEscaped else {
      throw URLFault("a / in its user name or password is written %2F, and an @ after its host %40")
    }
    guard password != "" else { throw URLFault("its password is empty") }
    guard user == nil || password != nil || passwordFile != nil else {
      throw URLFault("its login is :PASSWORD@ or USER:PASSWORD@, or USER@ with a password-file")
    }
  }

  /// Nil if there is no login.
  var currentPassword: String? {
    get throws(QueueError) { try passwordFile.map(PasswordFile.read) ?? password }
  }

  func unavailable(_ reason: String) -> QueueError { .unavailable("\(name) \(reason)") }
  func refused(_ reason: String) -> QueueError { .refused("\(name) \(reason)") }
  var scheme: String { isSecure ? "rediss" : "redis" }

  /// The name used in messages.
  var name: String { address + (database == 0 ? "" : ", database \(database)") }
  /// The name without the database.
  var address: String { "Redis at \(host.bracketingIPv6):\(port)" }

  /// Says how to grant `rules` to this user.
  func grant(_ rules: [String]) -> String {
    "grant it with ACL SETUSER \(user ?? "default") \(rules.joined(separator: " "))"
  }
}
