internal import Queueing
internal import Supporting

/// A database of a server and the login there. Queues with the same one share a connection.
package struct RedisServer: Hashable, Sendable {
  let isSecure: Bool
  /// A name or an address; one of IPv6 without its brackets.
  let host: String
  package let port: Int
  let user: String?
  let password: String?
  /// The file that the password is read from at each connection, so that it may change.
  package let passwordFile: String?
  /// Its number. Each has streams of its own, and a new connection is in 0.
  let database: Int

  init(_ url: BrokerURL, database: Int) throws(URLFault) {
    isSecure = url.scheme == "rediss"
    host = url.host
    port = url.port ?? 6379
    user = url.user == "" ? nil : url.user
    password = url.password
    passwordFile = url.passwordFile
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
  /// - Throws: `QueueError.refused` for a file that cannot be read.
  var currentPassword: String? {
    get throws(QueueError) { try passwordFile.map(PasswordFile.read) ?? password }
  }

  var scheme: String { isSecure ? "rediss" : "redis" }

  /// For messages.
  var name: String {
    "Redis at \(host.bracketingIPv6):\(port)" + (database == 0 ? "" : ", database \(database)")
  }
}
