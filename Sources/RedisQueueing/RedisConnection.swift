internal import Glibc
internal import Queueing
internal import Supporting

/// A connection on which Redis knows who we are, and our scripts. Used by one thread at a time.
struct RedisConnection: ~Copyable {
  /// Without a byte in either direction.
  static let patience = Duration.seconds(10)

  private let server: RedisServer
  private let patience: Duration
  private var socket: RedisSocket
  private let reader: ReplyReader
  private var digests: [RedisScript: String] = [:]

  private init(
    _ server: RedisServer, patience: Duration, socket: consuming RedisSocket, reader: consuming ReplyReader
  ) {
    self.server = server
    self.patience = patience
    self.socket = socket
    self.reader = reader
  }

  /// Connects, which blocks.
  static func open(
    _ server: RedisServer, certificateFile: String?, patience: Duration
  ) throws(QueueError) -> RedisConnection {
    let password = try server.currentPassword
    let reader = try ReplyReader(for: server)
    let socket = try RedisSocket(server, certificateFile: certificateFile)
    var connection = RedisConnection(server, patience: patience, socket: socket, reader: reader)
    try connection.greet(password: password)
    return connection
  }

  /// Sends all of `commands` and returns the answer to each, among them errors.
  /// - Throws: when the connection is of no more use; what has been done then is not known.
  mutating func ask(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies = try exchange(commands, digests: digests)
    // Somebody has told Redis to forget its scripts. Those that go along as text are remembered again.
    let unknown = replies.indices.filter { replies[$0].error?.hasPrefix("NOSCRIPT") == true }
    if !unknown.isEmpty {
      let again = try exchange(unknown.map { commands[$0] }, digests: [:])
      for (index, reply) in zip(unknown, again) { replies[index] = reply }
    }
    return replies
  }

  /// Whether it may be used again: nothing is said over a connection that the server has closed meanwhile.
  mutating func isAlive() -> Bool { socket.isQuiet() }

  /// Says who we are, and makes our scripts known.
  private mutating func greet(password: String?) throws(QueueError) {
    if let password {
      let words = ["AUTH"] + (server.user.map { [$0] } ?? []) + [password]
      _ = try say([.words(words.map { Array($0.utf8) })])
    }
    let scripts = RedisScript.allCases
    let answers = try say(scripts.map { RedisCommand("SCRIPT", "LOAD", $0.text) })
    for (script, answer) in zip(scripts, answers) { digests[script] = answer.text }
  }

  /// What has to be granted.
  private mutating func say(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    do throws(QueueError) {
      try exchange(commands, digests: [:], into: &replies)
    } catch {
      // Who hangs up on somebody new says why before, once.
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

  private mutating func exchange(
    _ commands: [RedisCommand], digests: [RedisScript: String]
  ) throws(QueueError) -> [RedisReply] {
    var replies: [RedisReply] = []
    try exchange(commands, digests: digests, into: &replies)
    return replies
  }

  private mutating func exchange(
    _ commands: [RedisCommand], digests: [RedisScript: String], into replies: inout [RedisReply]
  ) throws(QueueError) {
    var bytes: [UInt8] = []
    for command in commands { command.write(to: &bytes, digests: digests) }
    var sent = 0
    while replies.count < commands.count {
      // Both at once: a server that cannot get rid of its answers stops to read.
      let newlySent = sent < bytes.count ? try socket.send(bytes, from: sent) : 0
      sent += newlySent
      if try !take(into: &replies), newlySent == 0 {
        try socket.wait(toSend: sent < bytes.count, milliseconds: Int32(clamping: patience.milliseconds))
      }
    }
    guard replies.count == commands.count else { throw noRedis }
  }

  /// What has come.
  /// - Returns: whether that is anything.
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

  private var noRedis: QueueError {
    .refused("what answers at \(server.name) is no Redis: check host and port")
  }
}
