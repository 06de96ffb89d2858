package import Queueing
internal import Synchronization

/// A stream with one consumer group: an entry is in it until its message is settled.
///
/// A lease lasts as long as its process gives signs of life (`ConsumerState`). All streams of a server are one
/// store: a settlement that publishes into another of them is one script.
package final class RedisQueue: Source, Sink {
  /// A script takes some thousand arguments: messages with more headers are published before it.
  static let maximumHeaders = 1_000
  /// Entries that `browse` requests at once.
  private static let page = 100

  let store: RedisStore
  let stream: String
  let group: String
  /// Between two signs of life.
  let interval: Duration
  let consumerState: Mutex<ConsumerState>
  let hasBegun = Atomic(false)

  /// Checks that the key is a stream or missing, and that the user may do what the queue is used for. Blocks.
  /// - Throws: `QueueError.refused` for a key of another type, and without a right.
  package init(
    store: RedisStore, stream: String, group: String, for use: QueueUse, leaseDuration: Duration
  ) throws(QueueError) {
    self.store = store
    self.stream = stream
    self.group = group
    interval = ConsumerState.interval(leaseDuration)
    consumerState = Mutex(ConsumerState(leaseDuration: leaseDuration))
    let rights = RedisRights(for: use, of: stream)
    let replies = try store.askBlocking(rights.commands)
    try rights.check(replies, store.server)
    // The first is the one that looks at the stream: some others are refused for good reasons.
    try check(Array(replies.prefix(1)))
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    guard limit > 0 else { return [] }
    return try await Polling.poll(for: duration) { () async throws(QueueError) in try await take(limit) }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    let ours = consumerState.withLock { state in
      deliveries.compactMap { delivery in state.lease(of: delivery).map { (delivery: delivery, lease: $0) } }
    }
    let held = try await free(deliveries)
    // All are asked for before the first is there again: once somebody has settled that, the others look
    // settled, too.
    var lost: [Message] = []
    for (delivery, lease) in ours where !held.contains(delivery.receipt) {
      if try await isLost(delivery, on: lease) { lost.append(delivery.requeuedMessage) }
    }
    try await publish(lost)
    consumerState.withLock { $0.leave(deliveries) }
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let lease = consumerState.withLock { $0.lease(of: delivery) }
    var result = SendResult.sent
    do throws(QueueError) {
      result = try await settleHeld(delivery, publishing: publications)
    } catch {
      guard case .leaseLost = error else { throw error }
      guard try await isLost(delivery, on: lease) else {
        consumerState.withLock { $0.leave([delivery]) }
        throw error
      }
      result = try await publications.publish()
    }
    if result == .sent { consumerState.withLock { $0.leave([delivery]) } }
    return result
  }

  /// Whether nobody has it any more but this process.
  /// - Parameter lease: as it was before Redis was asked and said that it does not hold it.
  private func isLost(
    _ delivery: Delivery, on lease: ConsumerState.Lease?
  ) async throws(QueueError) -> Bool {
    let isSure = lease?.isSure ?? false
    guard let entry = RedisReceipt(delivery.receipt)?.entry else { return false }
    let replies = try await store.ask(.forgets(entry, of: stream))
    try check(replies)
    let knowledge = replies.first?.text
    return knowledge == "forgets" || isSure && knowledge == "lacks"
  }

  private func settleHeld(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let lost = QueueError.leaseLost(id: delivery.message.id)
    guard let receipt = RedisReceipt(delivery.receipt) else { throw lost }
    let (before, together) = publications.split { isSibling($0) }
    if !before.isEmpty {
      guard try await holds(receipt) else { throw lost }
      let result = try await before.publish()
      guard result == .sent else { return result }
    }
    let siblings = together.compactMap { publication -> (message: Message, stream: String)? in
      (publication.target as? RedisQueue).map { (publication.message, $0.stream) }
    }
    let message = delivery.message
    let mayBeCut =
      message.body.count >= MessageLimits.maximumBodySize
      || message.header(Message.truncatedHeadersName) != nil
    let replies = try await together.attempt { () async throws(QueueError) in
      try await store.ask { [self] in
        consumerState.withLock { $0.askToEnd([delivery]) }
        let settle = RedisCommand.settle(
          receipt, of: stream, group: group, mayBeCut: mayBeCut, publishing: siblings)
        return RedisStore.Request(commands: [settle])
      }
    }
    if replies.first == .integer(1) { return .sent }
    consumerState.withLock { $0.refuseToEnd([delivery]) }
    if Self.hasNoGroup(replies) { throw lost }
    // A retry publishes the others.
    for publication in together.prefix(Int(replies.first?.elements.first?.integer ?? 0)) {
      publication.note(.sent)
    }
    try await blamed(by: replies, of: together).attempt { () throws(QueueError) in
      try check(replies, targets: siblings.map(\.stream))
    }
    throw lost
  }

  /// Those whose stream an error names, as one of the wrong type; otherwise all.
  private func blamed(by replies: [RedisReply], of publications: [Publication]) -> [Publication] {
    let errors = replies.compactMap(\.error).filter { $0.hasPrefix("WRONGTYPE ") }
    let named = publications.filter { publication in
      guard let target = publication.target as? RedisQueue else { return false }
      return errors.contains { $0.hasSuffix(" \(target.stream)") }
    }
    return named.isEmpty ? publications : named
  }

  package var isEmpty: Bool {
    get async throws(QueueError) {
      let replies = try await store.ask(RedisCommand("XLEN", stream))
      try check(replies)
      return replies.first == .integer(0)
    }
  }

  package var takeoverTime: Duration { interval * QueueLease.missingSigns + .seconds(1) }

  package var backlog: Backlog? {
    get async throws(QueueError) {
      let replies = try await store.ask(RedisCommand(.backlog, keys: [stream], [group]))
      try check(replies)
      let figures = (replies.first?.elements ?? []).compactMap(\.integer)
      guard figures.count == 3 else { return nil }
      return Backlog(
        waiting: Int(figures[0]), onLease: Int(figures[1]),
        oldestAge: figures[2] < 0 ? nil : .milliseconds(figures[2]))
    }
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    var messages: [Message] = []
    var start = "-"
    while messages.count < limit {
      let count = min(limit - messages.count, Self.page)
      let replies = try await store.ask(RedisCommand("XRANGE", stream, start, "+", "COUNT", "\(count)"))
      try check(replies)
      let entries = replies.first?.elements ?? []
      for entry in entries {
        guard let id = entry.elements.first?.text, let fields = entry.elements.last else { continue }
        messages.append(Message(entry: id, redisFields: fields.elements))
        start = "(\(id)"
      }
      if entries.count < count { break }
    }
    return messages
  }
}
