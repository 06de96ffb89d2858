internal import Queueing
internal import Synchronization

extension RedisQueue {
  /// A script takes only a few thousand arguments. Messages with more headers are published first.
  private static let maximumHeaders = 1_000

  func release(_ deliveries: [Delivery]) async throws(QueueError) {
    let leases = consumerState.withLock { state in deliveries.map { state.lease(of: $0) } }
    let held = try await free(deliveries)
    // Ask about all of them first: once one is republished and settled, the others look settled.
    var lost: [Message] = []
    for (delivery, lease) in zip(deliveries, leases) where lease != nil && !held.contains(delivery.receipt) {
      if try await isLost(delivery, on: lease) { lost.append(delivery.requeuedMessage) }
    }
    try await publish(lost)
    consumerState.withLock { $0.leave(deliveries) }
  }

  @discardableResult
  func settle(
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

  /// Whether Redis has lost the message. If so, only this process has it.
  /// - Parameter lease: the lease as it was before Redis refused the delivery.
  func isLost(
    _ delivery: Delivery, on lease: ConsumerState.Lease?
  ) async throws(QueueError) -> Bool {
    let isSure = lease?.isSure ?? false
    guard let entry = RedisReceipt(delivery.receipt)?.entry else { return false }
    let answer = try await knowledge(of: entry)
    return answer == "forgets" || isSure && answer == "lacks"
  }

  /// What Redis knows about an entry, see `RedisScript.forgets`.
  private func knowledge(of entry: String) async throws(QueueError) -> String? {
    try await ask(RedisCommand(.forgets, keys: [stream], [entry])).text
  }

  private func settleHeld(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let lost = QueueError.leaseLost(id: delivery.message.id)
    guard let receipt = RedisReceipt(delivery.receipt) else { throw lost }
    let (before, together) = publications.split { publication in
      guard let queue = publication.target as? RedisQueue, queue.store === store else { return false }
      return publication.message.headers.count <= Self.maximumHeaders
    }
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
        return RedisStore.Request(
          settlement: RedisSettlement(
            stream: stream, group: group, receipt: receipt, mayBeCut: mayBeCut, publications: siblings))
      }
    }
    if replies.first == .integer(1) { return .sent }
    consumerState.withLock { $0.refuseToEnd([delivery]) }
    if Self.hasNoGroup(replies) { throw lost }
    // A retry must not publish these again.
    let published = Int(replies.first?.elements.first?.integer ?? 0)
    for publication in together.prefix(published) { publication.note(.sent) }
    try await blamed(by: replies, of: together).attempt { () throws(QueueError) in
      try check(replies, targets: siblings.map(\.stream))
    }
    throw lost
  }

  private func holds(_ receipt: RedisReceipt) async throws(QueueError) -> Bool {
    let pending = RedisCommand("XPENDING", stream, group, receipt.entry, receipt.entry, "1")
    let replies = try await store.ask { RedisStore.Request(commands: [pending]) }
    if Self.hasNoGroup(replies) { return false }
    try check(replies)
    guard let entry = replies.first?.elements.first?.elements, entry.count == 4 else {
      // Nobody holds it. If it is in the stream, somebody has deleted the consumer, and nobody else gets it.
      return try await knowledge(of: receipt.entry) == "has"
    }
    return entry[1].text == receipt.consumer && entry[3].integer.map { Int($0) } == receipt.count
  }

  /// The publications to streams that an error names as having the wrong type. If there are none, all.
  private func blamed(by replies: [RedisReply], of publications: [Publication]) -> [Publication] {
    let errors = replies.compactMap(\.error).filter { $0.hasPrefix("WRONGTYPE ") }
    let named = publications.filter { publication in
      guard let target = publication.target as? RedisQueue else { return false }
      return errors.contains { $0.hasSuffix(" \(target.stream)") }
    }
    return named.isEmpty ? publications : named
  }
}
