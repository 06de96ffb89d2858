package import Queueing

extension RedisQueue {
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
}
