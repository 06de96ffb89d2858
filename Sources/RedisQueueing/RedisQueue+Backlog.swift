package import Queueing

extension RedisQueue {
  package var takeoverTime: Duration { interval * QueueLease.missingSigns + .seconds(1) }

  /// Without the age where the login may not use `TIME`: entries carry the server's time.
  package var backlog: Backlog? {
    get async throws(QueueError) {
      let replies = try await store.ask(
        RedisCommand("XLEN", stream), RedisCommand("XPENDING", stream, group), .oldest(of: stream),
        RedisCommand("TIME"))
      guard replies.count == 4 else { return nil }
      let hasNoGroup = Self.hasNoGroup([replies[1]])
      try check([replies[0], replies[2]] + (hasNoGroup ? [] : [replies[1]]))
      guard let all = replies[0].integer else { return nil }
      let onLease = hasNoGroup ? 0 : Self.countOnLease(replies[1].elements)
      return Backlog(
        waiting: Int(max(0, all - onLease)), onLease: Int(onLease),
        oldestAge: Self.age(ofEntry: replies[2].text, at: replies[3].elements)
      )
    }
  }

  /// - Parameter pending: how many, the first and the last, and name and number of each consumer, as text.
  private static func countOnLease(_ pending: [RedisReply]) -> Int64 {
    let isFree = { (consumer: RedisReply) in consumer.elements.first?.text == ConsumerState.free }
    let free = pending.last?.elements.first(where: isFree)?.elements.last?.text.flatMap { Int64($0) }
    return (pending.first?.integer ?? 0) - (free ?? 0)
  }

  /// - Parameters:
  ///   - id: milliseconds since 1970, a dash and a number.
  ///   - time: seconds since 1970, and microseconds.
  private static func age(ofEntry id: String?, at time: [RedisReply]) -> Duration? {
    guard let seconds = time.first?.text.flatMap({ Int64($0) }),
      let start = id?.split(separator: "-").first.flatMap({ Int64($0) }), time.count == 2,
      // An id that was chosen by hand is not a time.
      (0...seconds).contains(start / 1_000)
    else { return nil }
    let microseconds = time[1].text.flatMap { Int64($0) } ?? 0
    return max(.zero, .seconds(seconds) + .microseconds(microseconds) - .milliseconds(start))
  }
}
