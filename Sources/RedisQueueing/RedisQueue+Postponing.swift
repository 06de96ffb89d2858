internal import Queueing
internal import Supporting
internal import Synchronization

extension RedisQueue: PostponingSource {
  func postpone(_ delivery: Delivery, until due: Int64, line: String?) async throws(QueueError) {
    guard let receipt = RedisReceipt(delivery.receipt) else { throw .leaseLost(id: delivery.message.id) }
    let lease = consumerState.withLock { $0.lease(of: delivery) }
    let words = [group] + receipt.words + ["\(due)", line ?? ""]
    let replies = try await store.ask { [self] in
      consumerState.withLock { $0.askToEnd([delivery]) }
      return RedisStore.Request(commands: [RedisCommand(.postpone, keys: [stream], words)])
    }
    if replies.first == .integer(1) { return consumerState.withLock { $0.leave([delivery]) } }
    consumerState.withLock { $0.refuseToEnd([delivery]) }
    if !Self.hasNoGroup(replies) { try checkPostponing(replies) }
    // If Redis has lost the message, only this process has it.
    guard try await isLost(delivery, on: lease) else {
      consumerState.withLock { $0.leave([delivery]) }
      throw .leaseLost(id: delivery.message.id)
    }
    try await publish([delivery.requeuedMessage])
    consumerState.withLock { $0.leave([delivery]) }
  }

  func due(before deliveries: [Delivery]) async throws(QueueError) -> [Int64?] {
    let places = deliveries.flatMap { delivery in
      [RedisReceipt(delivery.receipt)?.entry ?? "", delivery.message.line ?? ""]
    }
    let command = RedisCommand(.due, keys: [stream], [group] + places)
    let replies = try await store.ask { RedisStore.Request(commands: [command]) }
    try checkPostponing(replies)
    let dues = (replies.first?.elements ?? []).map { $0.text.flatMap { Int64($0) } }
    return dues.count == deliveries.count ? dues : deliveries.map { _ in nil }
  }

  private func checkPostponing(_ replies: [RedisReply]) throws(QueueError) {
    if let error = replies.firstError, QueueError.isAboutRights(redis: error) {
      throw store.server.refused(
        "does not let this user put messages aside: \(store.server.grant(["+@sortedset", "~\(stream)-*"]))")
    }
    try check(replies)
  }
}
