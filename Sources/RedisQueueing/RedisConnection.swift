internal import Glibc
internal import Queueing
internal import Supporting

/// A connection that is logged in, with our scripts loaded. Used by one thread at a time.
struct RedisConnection: ~Copyable {
  /// How long Redis may neither send nor take a byte before the connection is given up. Shorter than
  /// `QueueLease.duration`: there is time for a sign of life on a new connection.
  static let replyTimeout = Duration.seconds(4)

  private let server: RedisServer
  private let replyTimeout: Duration
  private var socket: RedisSocket
  private let reader: RESPReader
  private var digests: [RedisScript: String] = [:]

  private init(
    _ server: RedisServer, replyTimeout: Duration, socket: consuming RedisSocket, reader: consuming RESPReader
  ) {
    self.server = server
    self.replyTimeout = replyTimeout
    self.socket = socket
    self.reader = reader
  }

  /// Connects, which blocks.
  static func open(
    _ server: RedisServer, certificateFile: String?, replyTimeout: Duration
  ) throws(QueueError) -> RedisConnection {
    let password = try server.currentPassword
    let reader = try RESPReader(for: server)
    let socket = try RedisSocket(server, certificateFile: certificateFile)
    var connection = RedisConnection(server, replyTimeout: replyTimeout, socket: socket, reader: reader)
    try connection.greet(password: password)
    return connection
  }

  /// Sends all of `commands` and returns the reply to each; some may be errors.
  /// - Throws: when the connection cannot be used again. The commands may have been carried out.
  mutating func ask(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies = try roundTrip(commands, digests: digests)
    // The scripts were flushed. Those that are sent as text are loaded again.
    let unknown = replies.indices.filter { replies[$0].error?.hasPrefix("NOSCRIPT") == true }
    if !unknown.isEmpty {
      let again = try roundTrip(unknown.map { commands[$0] }, digests: [:])
      for (index, reply) in zip(unknown, again) { replies[index] = reply }
    }
    return replies
  }

  /// Whether it may be used again: a command must not be sent on a connection that the server has closed
  /// meanwhile.
  mutating func isAlive() -> Bool { socket.isQuiet() }

  /// Logs in, selects the database, and loads our scripts.
  private mutating func greet(password: String?) throws(QueueError) {
    if let password {
      _ = try say([server.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password)])
    }
    if server.database > 0 { _ = try say([RedisCommand("SELECT", "\(server.database)")]) }
    let scripts = RedisScript.allCases
    let answers = try say(scripts.map { RedisCommand("SCRIPT", "LOAD", $0.text) })
    for (script, answer) in zip(scripts, answers) { digests[script] = answer.text }
  }

  /// Sends commands that must succeed.
  private mutating func say(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    do throws(QueueError) {
      try roundTrip(commands, digests: [:], into: &replies)
    } catch {
      // A server that closes a new connection sends the reason first, once.
      _ = try? take(into: &replies)
      try check(replies)
      throw error
    }
    try check(replies)
    return replies
  }

  private func check(_ replies: [RedisReply]) throws(QueueError) {
    for reply in replies {
      if let error = reply.error { throw QueueError(redis: error, server) }
    }
  }

  private mutating func roundTrip(
    _ commands: [RedisCommand], digests: [RedisScript: String]
  ) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    try roundTrip(commands, digests: digests, into: &replies)
    return replies
  }

  private mutating func roundTrip(
    _ commands: [RedisCommand], digests: [RedisScript: String], into replies: inout [RedisReply]
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
      if try !take(into: &replies), newlySent == 0 {
        try socket.wait(
          toSend: sent < bytes.count, milliseconds: Int32(clamping: replyTimeout.milliseconds))
      }
    }
    guard replies.count == commands.count else { throw noRedis }
  }

  /// Appends the replies that have arrived.
  /// - Returns: whether any bytes have.
  private mutating func take(into replies: inout [RedisReply]) throws(QueueError) -> Bool {
    guard try socket.receive(into: reader) else { return false }
    while let reply = try next() { replies.append(reply) }
    return true
  }

  private func next() throws(QueueError) -> RedisReply? {
    do {
      return try reader.next()
    } catch {
      throw noRedis
    }
  }

  private var noRedis: QueueError { .noRedis(at: server.name) }
}
