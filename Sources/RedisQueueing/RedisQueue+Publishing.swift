package import Queueing

/// What goes into a stream, and what its errors mean.
extension RedisQueue {
  /// Several at once or none, unless Redis finds one of them too long.
  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    guard !messages.isEmpty else { return [] }
    var commands = messages.map { message in
      var command = RedisCommand(words: ["XADD", stream, "*"], size: message.body.count + 512)
      command.append(message)
      return command
    }
    if messages.count > 1 { commands = [RedisCommand("MULTI")] + commands + [RedisCommand("EXEC")] }
    var replies = try await store.ask { [commands] in RedisStore.Request(commands: commands) }
    // Without a result of the transaction, an earlier reply has the reason.
    if messages.count > 1, case .array(let results) = replies.last { replies = results }
    var results: [SendResult] = []
    for reply in replies {
      // t_stream.c, `xaddCommand`.
      if let error = reply.error, error.hasPrefix("ERR Elements are too large") {
        let refusal = QueueError(redis: error, store.server)
        results.append(.rejected(Rejection("message-too-large", detail: refusal.description)))
        continue
      }
      try check([reply])
      results.append(.sent)
    }
    return results
  }

  /// Whether a delivery is still held.
  func holds(_ receipt: RedisReceipt) async throws(QueueError) -> Bool {
    let replies = try await store.ask(
      RedisCommand("XPENDING", stream, group, receipt.entry, receipt.entry, "1"))
    if Self.hasNoGroup(replies) { return false }
    try check(replies)
    guard let entry = replies.first?.elements.first?.elements, entry.count == 4 else { return false }
    return entry[1].text == receipt.consumer && entry[3].integer.map { Int($0) } == receipt.count
  }

  /// Whether a publication may be part of the script that settles.
  func isSibling(_ publication: Publication) -> Bool {
    guard let queue = publication.target as? RedisQueue, queue.store === store else { return false }
    return publication.message.headers.count <= Self.maximumHeaders
  }

  /// Throws what the first error among `replies` to commands on this stream, and on `targets`, means.
  func check(_ replies: [RedisReply], targets: [String] = []) throws(QueueError) {
    guard let error = replies.lazy.compactMap(\.error).first else { return }
    throw QueueError(
      redis: error, store.server, keys: [stream, stream + MessageLimits.tooLongSuffix] + targets)
  }

  /// Whether the stream or its group is gone: then nothing is on lease.
  static func hasNoGroup(_ replies: [RedisReply]) -> Bool {
    replies.contains { $0.error?.hasPrefix("NOGROUP") == true }
  }
}
