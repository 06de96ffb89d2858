internal import Queueing
internal import Supporting
internal import Synchronization

/// What the methods of the queue are made of.
extension RedisQueue {
  /// Consumers that hold nothing and have not asked for this long have ended.
  private static let silence = Duration.seconds(600)

  /// Names the like of which nobody else has.
  static func newName() -> String { "push-enricher-" + String(UInt64.random(in: 0...UInt64.max), radix: 36) }

  /// Hands out what was left by others, and then what is new.
  func take(_ limit: Int) async throws(QueueError) -> [Delivery] {
    let durations = [QueueLease.duration, overAtStart].map { "\($0.milliseconds)" }
    let ask = { @Sendable [self] in
      let (consumer, search) = holdings.withLock { ($0.consumer, $0.search()) }
      let words = [group, consumer, "\(limit)"] + durations + ["\(QueueBatch.maximumSize)"] + search
      let receive = RedisCommand.script(.receive, keys: [stream], words.map { Array($0.utf8) })
      return hasTidied.exchange(true, ordering: .relaxed) ? [receive] : [receive, tidy]
    }
    let replies: [RedisReply]
    do throws(QueueError) {
      replies = try await store.ask(ask)
    } catch {
      holdings.withLock { $0.loseAnswer() }
      throw error
    }
    // Not that to `tidy`, which may fail.
    try check(Array(replies.prefix(1)))
    let deliveries = (replies.first?.elements ?? []).compactMap { delivery($0.elements) }
    holdings.withLock { $0.take(deliveries) }
    return deliveries
  }

  private var tidy: RedisCommand {
    let words = [group, "\(Self.silence.milliseconds)"]
    return .script(.tidy, keys: [stream], words.map { Array($0.utf8) })
  }

  /// - Parameter parts: entry, consumer, count, fields and bytes of those that were left out.
  private func delivery(_ parts: [RedisReply]) -> Delivery? {
    guard parts.count == 5, let entry = parts[0].text, let consumer = parts[1].text,
      let count = parts[2].integer, let lost = parts[4].integer
    else { return nil }
    var message = Message(entry: entry, redisFields: parts[3].elements)
    if lost > 0 { message.headers.append(Header(Message.cutHeaders, "\(lost)")) }
    return Delivery(
      message: message, attempt: Int(count),
      receipt: RedisReceipt(entry: entry, consumer: consumer, count: Int(count)).text)
  }

  /// Starts the leases of those that are held anew.
  /// - Parameters:
  ///   - over: how much of the time is over at once.
  ///   - isReleased: whether the hand-out is taken back.
  /// - Returns: how many were held.
  func renew(
    _ deliveries: [Delivery], over: Duration, isReleased: Bool = false
  ) async throws(QueueError) -> Int {
    let receipts = deliveries.compactMap { RedisReceipt($0.receipt) }
    guard !receipts.isEmpty else { return 0 }
    let words = [group, "\(over.milliseconds)", isReleased ? "1" : "0"].map { Array($0.utf8) }
    let renew = RedisCommand.script(.renew, keys: [stream], words + receipts.flatMap(\.words))
    let replies = try await store.ask { [self] in
      if isReleased { holdings.withLock { $0.rename() } }
      return [renew]
    }
    if Self.hasNoGroup(replies) { return 0 }
    try check(replies)
    return replies.first?.integer.map { Int($0) } ?? 0
  }

  /// Whether a publication belongs to the same settlement.
  func isSibling(_ publication: Publication) -> Bool {
    guard let queue = publication.target as? RedisQueue, queue.store === store else { return false }
    return publication.message.headers.count <= Self.maximumHeaders
  }

  /// Throws what the first error among `replies` means.
  /// - Parameter targets: further streams that were asked about.
  func check(_ replies: [RedisReply], targets: [RedisQueue] = []) throws(QueueError) {
    for reply in replies {
      if let error = reply.error {
        throw QueueError(
          redis: error, store.server, keys: [stream, stream + QueueBatch.tooLong] + targets.map(\.stream))
      }
    }
  }

  /// Somebody has removed the stream or its group: nothing is on lease.
  static func hasNoGroup(_ replies: [RedisReply]) -> Bool {
    replies.contains { $0.error?.hasPrefix("NOGROUP") == true }
  }
}
