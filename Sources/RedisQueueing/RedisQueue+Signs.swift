internal import Queueing
internal import Synchronization

/// Signs of life, and looks at those of others.
extension RedisQueue {
  /// Gives signs of life from now on, until there is no one who uses the queue.
  func beginSigns() {
    if !hasBegun.exchange(true, ordering: .relaxed) { giveSign() }
  }

  /// Looks at the consumers of the group and, if this process holds messages, leaves a new mark there.
  private func giveSign() {
    let sign = Mutex<ConsumerState.Sign?>(nil)
    store.submit { [self] in
      let (new, unused) = consumerState.withLock { state -> (ConsumerState.Sign?, [String]) in
        let unused = state.census.unused
        guard !state.holdsNothing, case let sign = state.sign(), sign.isNew else { return (nil, unused) }
        return (sign, unused)
      }
      sign.withLock { $0 = new }
      let look = RedisCommand("XINFO", "CONSUMERS", stream, group)
      let tidy =
        unused.isEmpty ? [] : [RedisCommand.tidy(stream, group: group, silence: Self.silence, unused: unused)]
      return (new.map { [.leave($0, in: stream, group: group)] } ?? []) + tidy + [look]
    } then: { [weak self] result in
      guard let self else { return }
      if case .success(let replies) = result { note(replies, to: sign.withLock { $0 }) }
      store.schedule(after: interval) { [weak self] in self?.giveSign() }
    }
  }

  private func note(_ replies: [RedisReply], to sign: ConsumerState.Sign?) {
    consumerState.withLock { state in
      if let sign {
        if replies.first == .integer(1) { state.confirm(sign) } else { state.withdraw(sign) }
      }
      state.look(at: replies.last?.elements.compactMap { RedisConsumer($0) } ?? [])
    }
  }
}
