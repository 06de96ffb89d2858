internal import Queueing
internal import Supporting
internal import Synchronization

extension RedisQueue: PostponingSource {
  func postpone(_ delivery: Delivery, until due: Int64, line: String?) async throws(QueueError) {
    guard let receipt = RedisReceipt(delivery.receipt) else { throw .leaseLost(id: delivery.message.id) }
    let lease = consumerState.withLock { $0.lease(of: delivery) }
    let words = [group] + receipt.words + ["\(due)", line ?? "", "\(WallClock.milliseconds)"]
    let replies = try await store.ask { [self] in
      consumerState.withLock { $0.askToEnd([delivery]) }
      return RedisStore.Request(commands: [RedisCommand(.postpone, keys: [stream], words)])
    }
    if replies.first == .integer(1) { return consumerState.withLock { $0.leave([delivery]) } }
    consumerState.withLock { $0.refuseToEnd([delivery]) }
    if !Self.hasNoGroup(replies) { try checkPostponing(replies) }
    // If Redis has lost the message, only this process has it.
    guard try await isLost(delivery, on: lease) else { throw .leaseLost(id: delivery.message.id) }
    try await publish([delivery.requeuedMessage])
    consumerState.withLock { $0.leave([delivery]) }
  }

  func due(of lines: [String], after time: Int64) async throws(QueueError) -> [Int64?] {
    if lines.isEmpty { return [] }
    let command = RedisCommand(words: ["ZMSCORE", stream + RedisScript.linesSuffix + group] + lines)
    let replies = try await store.ask { RedisStore.Request(commands: [command]) }
    try checkPostponing(replies)
    let dues = (replies.first?.elements ?? []).map {
      $0.text.flatMap { Int64($0) }.flatMap { $0 > time ? $0 : nil }
    }
    return dues.count == lines.count ? dues : lines.map { _ in nil }
  }

  private func checkPostponing(_ replies: [RedisReply]) throws(QueueError) {
    if replies.firstError?.contains("NOPERM") == true {
      throw store.server.refused(
        "does not let this user put messages aside: give it +@sortedset and the keys \(stream)-*")
    }
    try check(replies)
  }
}
