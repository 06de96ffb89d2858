internal import Queueing
internal import Synchronization

/// A stream with one consumer group. An entry stays in the stream until its message is settled. A
/// lease lasts as long as its process gives signs of life (`ConsumerState`). A settlement that
/// publishes into streams of the same server is one step of a script.
final class RedisQueue: Source, Sink {
  /// How many entries `browse` requests at a time.
  private static let page = 100

  let store: RedisStore
  let stream: String
  let group: String
  /// The time between two signs of life.
  let interval: Duration
  let consumerState: Mutex<ConsumerState>
  let hasBegun = Atomic(false)
  let keepsOrder: Bool
  private let polling = Polling()

  /// Checks that the key is a stream or missing, and that the user has the rights. Blocks.
  init(
    store: RedisStore, stream: String, group: String, for use: QueueUse, leaseDuration: Duration,
    keepsOrder: Bool = false
  ) throws(QueueError) {
    (self.store, self.stream, self.group, self.keepsOrder) = (store, stream, group, keepsOrder)
    interval = ConsumerState.interval(leaseDuration)
    consumerState = Mutex(ConsumerState(leaseDuration: leaseDuration))
    let rights = RedisRights(for: use, of: stream, postponing: keepsOrder ? group : nil)
    let replies = try store.askBlocking { rights.commands }
    try rights.check(replies, store.server)
    // Only the first reply: some of the other commands are meant to fail.
    try check(Array(replies.prefix(1)))
  }

  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    guard limit > 0 else { return [] }
    return try await polling.poll(for: duration) { () async throws(QueueError) in try await take(limit) }
  }

  /// Adds all messages or none, except that Redis may reject one that is too long.
  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    guard !messages.isEmpty else { return [] }
    var commands = messages.map { message in
      var command = RedisCommand(words: ["XADD", stream, "*"], size: message.body.count + 512)
      command.append(message)
      return command
    }
    if messages.count > 1 { commands = [RedisCommand("MULTI")] + commands + [RedisCommand("EXEC")] }
    var replies = try await store.ask { [commands] in RedisStore.Request(commands: commands) }
    // If the transaction has no results, an earlier reply gives the reason.
    if messages.count > 1, case .array(let results) = replies.last { replies = results }
    var results: [SendResult] = []
    for reply in replies {
      // The text is from `xaddCommand` in t_stream.c.
      if let error = reply.error, error.hasPrefix("ERR Elements are too large") {
        let refusal = QueueError(redis: error, store.server)
        results.append(.rejected(Rejection("message-too-large", detail: refusal.description)))
      } else {
        try check([reply])
        results.append(.sent)
      }
    }
    return results
  }

  var isEmpty: Bool {
    get async throws(QueueError) {
      if try await ask(RedisCommand("XLEN", stream)) == .integer(0) { return true }
      // Messages that are put aside stay in the stream.
      return try await backlog.map { $0.waiting == 0 && $0.onLease == 0 } ?? false
    }
  }

  var lookCount: Int? { consumerState.withLock { $0.census.looks } }

  var backlog: Backlog? {
    get async throws(QueueError) {
      let reply = try await ask(RedisCommand(.backlog, keys: [stream], [group]))
      let figures = reply.elements.compactMap(\.integer)
      guard figures.count == 3 else { return nil }
      return Backlog(
        waiting: Int(figures[0]), onLease: Int(figures[1]),
        oldestAge: figures[2] < 0 ? nil : .milliseconds(figures[2]))
    }
  }

  func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    var messages: [Message] = []
    var start = "-"
    while messages.count < limit {
      let count = min(limit - messages.count, Self.page)
      let entries = try await ask(RedisCommand("XRANGE", stream, start, "+", "COUNT", "\(count)")).elements
      for entry in entries {
        guard let id = entry.elements.first?.text, let fields = entry.elements.last else { continue }
        messages.append(Message(entry: id, redisFields: fields.elements))
        start = "(\(id)"
      }
      if entries.count < count { break }
    }
    return messages
  }

  /// Throws if the reply is an error.
  func ask(_ command: RedisCommand) async throws(QueueError) -> RedisReply {
    let replies = try await store.ask { RedisStore.Request(commands: [command]) }
    try check(replies)
    return replies.first ?? .null
  }

  /// Throws the first error in the replies to commands on this stream and on `targets`.
  func check(_ replies: [RedisReply], targets: [String] = []) throws(QueueError) {
    guard let error = replies.firstError else { return }
    let keys = [stream, stream + MessageLimits.tooLongSuffix] + targets
    throw QueueError(redis: error, store.server, keys: keys)
  }

  /// Whether the stream or its group is gone. If so, nothing is on lease.
  static func hasNoGroup(_ replies: [RedisReply]) -> Bool {
    replies.contains { $0.error?.hasPrefix("NOGROUP") == true }
  }
}
