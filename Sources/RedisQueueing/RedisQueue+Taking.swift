internal import Queueing
internal import Supporting
internal import Synchronization

extension RedisQueue {
  /// A consumer that holds nothing is removed after being silent for this long.
  private static let silence = Duration.seconds(600)
  /// The most messages that one script frees. More would keep other clients of the server waiting.
  private static let maximumReleased = 1_000

  func take(_ limit: Int) async throws(QueueError) -> [Delivery] {
    defer { beginSigns() }
    let handedOut = Mutex<[Delivery]>([])
    let replies = try await store.ask { [self] in
      let (consumer, sign, search, ended, isNew) = consumerState.withLock { state in
        (
          state.consumer, state.sign(), state.search(), state.census.ended,
          keepsOrder && state.isNew(for: interval * QueueLease.missingSigns * 2 + .seconds(2))
        )
      }
      let ends = ended.flatMap { [$0.consumer, $0.process, $0.marks] }
      let lists = [[sign.mark], sign.oldMarks, search.names, search.known, ends]
      let words = [
        group, consumer, "\(limit)", "\(MessageLimits.maximumBatchSize)", "\(WallClock.milliseconds)",
        isNew ? "1" : "0",
      ]
      let receive = RedisCommand(.receive, keys: [stream], words + lists.flatMap { ["\($0.count)"] + $0 })
      return RedisStore.Request(
        commands: [receive], note: { result in handedOut.withLock { $0 = self.note(result, sign) } })
    }
    try check(replies)
    return handedOut.withLock { $0 }
  }

  private func note(_ result: Result<[RedisReply], QueueError>, _ sign: ConsumerState.Sign) -> [Delivery] {
    guard case .success(let replies) = result else {
      consumerState.withLock { $0.rename() }
      return []
    }
    let deliveries = (replies.first?.elements ?? []).compactMap { Delivery($0.elements) }
    consumerState.withLock { state in
      // The script may have failed after taking entries. Those have not arrived.
      if replies.first?.error != nil { state.rename() }
      guard !deliveries.isEmpty else { return state.withdraw(sign) }
      state.confirm(sign)
      state.take(deliveries, sign)
    }
    return deliveries
  }

  /// Frees the messages of deliveries. Returns the receipts of those that were still held.
  func free(_ deliveries: [Delivery]) async throws(QueueError) -> Set<String> {
    var held: Set<String> = []
    for start in stride(from: 0, to: deliveries.count, by: Self.maximumReleased) {
      held.formUnion(try await freeAtOnce(Array(deliveries[start...].prefix(Self.maximumReleased))))
    }
    return held
  }

  private func freeAtOnce(_ deliveries: [Delivery]) async throws(QueueError) -> Set<String> {
    let receipts = deliveries.compactMap { RedisReceipt($0.receipt) }
    guard !receipts.isEmpty else { return [] }
    let replies = try await store.ask { [self] in
      consumerState.withLock {
        $0.rename()
        $0.askToEnd(deliveries)
      }
      let words = [group] + receipts.flatMap(\.words)
      return RedisStore.Request(commands: [RedisCommand(.release, keys: [stream], words)])
    }
    let places = (replies.first?.elements ?? []).compactMap { $0.integer.map { Int($0) - 1 } }
    let held = Set(places.filter(receipts.indices.contains).map { receipts[$0].text })
    consumerState.withLock { state in state.refuseToEnd(deliveries.filter { !held.contains($0.receipt) }) }
    if Self.hasNoGroup(replies) { return [] }
    try check(replies)
    return held
  }

  /// Gives signs of life until the queue is no longer used.
  private func beginSigns() {
    guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
    Task { [weak self, interval] in
      while await self?.giveSign() != nil { try? await Task.sleep(for: interval) }
    }
  }

  /// Looks at the consumers of the group. Also sets a new mark if this process holds messages.
  private func giveSign() async {
    _ = try? await store.ask { [self] in
      let (sign, unused) = consumerState.withLock { state in
        (state.holdsNothing ? nil : state.sign(), state.census.unused)
      }
      let new = sign.flatMap { $0.isNew ? $0 : nil }
      let leave = new.map { [RedisCommand(.sign, keys: [stream], [group, $0.mark] + $0.oldMarks)] } ?? []
      let words = [group, "\(Self.silence.milliseconds)"] + unused
      return RedisStore.Request(commands: leave + [RedisCommand(.tidy, keys: [stream], words)]) { result in
        guard case .success(let replies) = result else { return }
        self.consumerState.withLock { state in
          if let new {
            if replies.first == .integer(1) { state.confirm(new) } else { state.withdraw(new) }
          }
          state.look(at: replies.last?.elements.compactMap { RedisConsumer($0.elements) } ?? [])
        }
      }
    }
  }
}
