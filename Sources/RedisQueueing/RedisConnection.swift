internal import Queueing
internal import Supporting

/// A connection that is logged in, with our scripts loaded. Used by one thread at a time.
struct RedisConnection: ~Copyable {
  private let server: RedisServer
  private let replyTimeout: Duration
  private var socket: RedisSocket
  private var digests: [ObjectIdentifier: String] = [:]

  /// Connects, which blocks, logs in, selects the database, and loads our scripts.
  /// - Parameters: as those of `RedisStore`.
  static func open(
    _ server: RedisServer, certificateFile: String?, replyTimeout: Duration
  ) throws(QueueError) -> RedisConnection {
    let password = try server.currentPassword
    let socket = try RedisSocket(server, certificateFile: certificateFile)
    var connection = RedisConnection(server: server, replyTimeout: replyTimeout, socket: socket)
    if let password {
      _ = try connection.say([RedisCommand(words: ["AUTH"] + (server.user.map { [$0] } ?? []) + [password])])
    }
    if server.database > 0 { _ = try connection.say([RedisCommand("SELECT", "\(server.database)")]) }
    let answers = try connection.say(RedisScript.all.map { RedisCommand("SCRIPT", "LOAD", $0.text) })
    for (script, answer) in zip(RedisScript.all, answers) {
      connection.digests[ObjectIdentifier(script)] = answer.text
    }
    return connection
  }

  /// Whether it may be used again: a command must not be sent on a connection that the server has closed meanwhile.
  mutating func isAlive() -> Bool { socket.isQuiet() }

  /// Sends all of `commands` and returns the reply to each; some may be errors.
  /// - Throws: if the connection cannot be used again. The commands may have been carried out.
  mutating func ask(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    try roundTrip(commands, digests: digests, into: &replies)
    // The scripts were flushed. Those that are sent as text are loaded again.
    let unknown = replies.indices.filter { replies[$0].error?.hasPrefix("NOSCRIPT") == true }
    if !unknown.isEmpty {
      var again: [RedisReply] = []
      try roundTrip(unknown.map { commands[$0] }, digests: [:], into: &again)
      for (index, reply) in zip(unknown, again) { replies[index] = reply }
    }
    return replies
  }

  /// Sends commands that must succeed.
  private mutating func say(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    let failure: QueueError?
    do throws(QueueError) {
      try roundTrip(commands, digests: [:], into: &replies)
      failure = nil
    } catch {
      // A server that closes a new connection sends the reason first, once.
      _ = try? socket.receive(into: &replies)
      failure = error
    }
    if let error = replies.lazy.compactMap(\.error).first { throw QueueError(redis: error, server) }
    if let failure { throw failure }
    return replies
  }

  private mutating func roundTrip(
    _ commands: [RedisCommand], digests: [ObjectIdentifier: String], into replies: inout [RedisReply]
  ) throws(QueueError) {
    var bytes: [UInt8] = []
    // Grown, it would be there twice for a moment, beside the commands: messages may be long.
    bytes.reserveCapacity(commands.reduce(0) { $0 + $1.size })
    for command in commands { command.write(to: &bytes, digests: digests) }
    var sent = 0
    while replies.count < commands.count {
      // Send and receive by turns: a server that cannot send its replies stops reading.
      let newlySent = sent < bytes.count ? try socket.send(bytes, from: sent) : 0
      sent += newlySent
      if try !socket.receive(into: &replies), newlySent == 0 {
        try socket.wait(
          toSend: sent < bytes.count, milliseconds: Int32(clamping: replyTimeout.milliseconds))
      }
    }
    guard replies.count == commands.count else { throw .noRedis(at: server) }
  }
}
