internal import Queueing
internal import Supporting

/// A database of a server, and the login there. Queues with the same one share a connection.
struct RedisServer: Hashable, Sendable {
  let isSecure: Bool
  /// A name or an address; IPv6 without its brackets.
  let host: String
  let port: Int
  let user: String?
  let password: String?
  /// Read at each connection, so that the password may change.
  let passwordFile: String?
  /// Each database has streams of its own. A new connection is in 0.
  let database: Int

  init(_ url: BrokerURL, database: Int) throws(URLFault) {
    isSecure = url.scheme == "rediss"
    (host, port) = (url.host, url.port ?? 6379)
    (user, password, passwordFile) = (url.user == "" ? nil : url.user, url.password, url.passwordFile)
    self.database = database
    guard url.isLoginEscaped else {
      throw URLFault("a / in its user name or password is written %2F, and an @ behind its host %40")
    }
    guard password != "" else { throw URLFault("its password is empty") }
    guard user == nil || password != nil || passwordFile != nil else {
      throw URLFault("its login is :PASSWORD@ or USER:PASSWORD@, or USER@ with a password-file")
    }
  }

  /// Nil without a login.
  var currentPassword: String? {
    get throws(QueueError) { try passwordFile.map(PasswordFile.read) ?? password }
  }

  func unavailable(_ reason: String) -> QueueError { .unavailable("\(name) \(reason)") }
  func refused(_ reason: String) -> QueueError { .refused("\(name) \(reason)") }
  var scheme: String { isSecure ? "rediss" : "redis" }

  /// For messages.
  var name: String {
    "Redis at \(host.bracketingIPv6):\(port)" + (database == 0 ? "" : ", database \(database)")
  }
}
