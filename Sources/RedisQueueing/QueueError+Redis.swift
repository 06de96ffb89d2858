internal import CCurl
internal import Glibc
internal import Queueing

extension QueueError {
  static func noRedis(at server: RedisServer) -> QueueError {
    .refused("\(server.name) does not speak the Redis protocol: check host and port")
  }

  static func noMemory(for server: RedisServer) -> QueueError {
    .unavailable("there is no memory for a connection to \(server.name)")
  }

  /// Explains a failed connection.
  /// - Parameters:
  ///   - kernel: the `errno` behind libcurl's `code`, or 0.
  ///   - detail: libcurl's own message, or empty. After `CURLE_ABORTED_BY_CALLBACK`: the file of authorities.
  init(connecting code: CURLcode, kernel: Int, detail: String, _ server: RedisServer) {
    if code == CURLE_ABORTED_BY_CALLBACK {
      self = .refused(
        "\(detail) has no certificate that can be read: --ca-file wants a file of certificates in PEM form")
      return
    }
    let reason =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: "cannot be found: no name server knows \(server.host); check the name"
      case CURLE_OPERATION_TIMEDOUT:
        "cannot be reached within 5 s: see whether \(server.isSecure ? "it speaks TLS on that port" : "a firewall is in the way")"
      case CURLE_COULDNT_CONNECT where kernel == ECONNREFUSED:
        "cannot be reached: see whether it runs there, on that port"
      case CURLE_PEER_FAILED_VERIFICATION:
        "has a certificate that is not trusted (\(detail)): --ca-file adds an authority of your own"
      case CURLE_SSL_CONNECT_ERROR: "fails at TLS (\(detail)): see whether it speaks TLS on that port"
      default: "cannot be reached (\(detail.isEmpty ? "libcurl's error \(code.rawValue)" : detail))"
      }
    self = server.unavailable(reason)
  }

  /// Whether an error reply means that a right is missing. If the command is in a script, Redis 7.0 does not
  /// write `NOPERM` (`scriptCall` in script.c).
  static func isAboutRights(redis text: String) -> Bool {
    text.contains("NOPERM") || text.contains("user executing the script can't")
  }

  /// What a queue needs, whatever it is used for.
  private static func rules(for keys: [String]) -> [String] {
    ["+@stream", "+@scripting", "+@transaction", "+type", "+auth"] + keys.map { "~\($0)" }
  }

  /// Explains an error reply, whose first word is its kind
  /// (redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors).
  /// - Parameter keys: the keys of the commands. The error may end with one of them.
  init(redis text: String, _ server: RedisServer, keys: [String] = []) {
    let key = keys.first { text.hasSuffix(" \($0)") } ?? keys.first ?? ""
    let line = String(text.prefix { $0 != "\r" && $0 != "\n" }.prefix(300))
    let (later, never) = (server.unavailable, server.refused)
    self =
      switch text.prefix(while: { $0 != " " }) {
      case "OOM":
        later("has reached its maxmemory: raise it or free some space (workers then resume by themselves)")
      case "MISCONF": later("cannot write to its disk: see its log; when it can, it goes on by itself")
      case "LOADING": later("is still loading its data: it goes on by itself")
      case "READONLY": later("is a read-only replica: name the primary")
      case "NOREPLICAS", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY": later("cannot do it now: \(line)")
      case "ERR" where text.hasPrefix("ERR max number of clients"):
        later("has no connection left: raise its maxclients, or find out what holds them")
      case "NOAUTH":
        never("wants a password: write it as \(server.scheme)://USER:PASSWORD@HOST, or name a password-file")
      case "WRONGPASS": never("does not take this user name and password")
      case "ERR" where text.contains("DB index"):
        .refused(
          "\(server.address) has no database \(server.database): raise databases in its redis.conf, or name another"
        )
      case "ERR" where text.contains("AUTH"): never("wants no password: leave it out")
      case "NOPERM" where text.contains("'select'"):
        .refused(
          "\(server.address) does not let this user select database \(server.database): \(server.grant(["+select"])), or use database 0"
        )
      case "NOPERM":
        never("does not let this user do it (\(line)): \(server.grant(Self.rules(for: keys)))")
      case "WRONGTYPE": .refused("the key \(key) of \(server.name) is not a stream: name another key")
      case "MOVED", "ASK", "CROSSSLOT":
        never("is part of a cluster, which cannot run this as one transaction: name a standalone Redis")
      case "ERR" where text.hasPrefix("ERR unknown command"):
        never("is too old: it has to be Redis 7 or later (\(line))")
      default: never("refuses: \(line)")
      }
  }
}
