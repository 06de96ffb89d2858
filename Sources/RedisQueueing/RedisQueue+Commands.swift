internal import Queueing
internal import Supporting
internal import Synchronization

/// Commands behind the methods of the queue.
extension RedisQueue {
  /// The process of a consumer that holds nothing and has not asked for this long has ended.
  private static let silence = Duration.seconds(600)

  /// A unique name.
  static func newName() -> String {
    "push-enricher-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
  }

  /// Hands out entries whose lease is over, and then new ones.
  func take(_ limit: Int) async throws(QueueError) -> [Delivery] {
    let ask = { @Sendable [self] in
      let (consumer, search) = consumerState.withLock { $0.ask() }
      let receive = RedisCommand.receive(
        limit, from: stream, group: group, consumer: consumer, initialIdleTime: initialIdleTime,
        search: search)
      return hasTidied.exchange(true, ordering: .relaxed)
        ? [receive] : [receive, .tidy(stream, group: group, silence: Self.silence)]
    }
    // Taken before Redis is asked, which counts from later: so it ends here first.
    let leaseEnd = ContinuousClock.now + leaseDuration
    let replies: [RedisReply]
    do throws(QueueError) {
      replies = try await store.ask(ask)
    } catch {
      consumerState.withLock { $0.loseReply() }
      throw error
    }
    // Not the reply to `tidy`, which may fail.
    try check(Array(replies.prefix(1)))
    let deliveries = (replies.first?.elements ?? []).compactMap { delivery($0.elements) }
    consumerState.withLock { $0.take(deliveries, until: leaseEnd) }
    return deliveries
  }

  /// - Parameter parts: as `RedisScript.receiveText` returns them.
  private func delivery(_ parts: [RedisReply]) -> Delivery? {
    guard parts.count == 5, let entry = parts[0].text, let consumer = parts[1].text,
      let count = parts[2].integer, let lost = parts[4].integer
    else { return nil }
    var message = Message(entry: entry, redisFields: parts[3].elements)
    if lost > 0 { message.headers.append(Header(Message.truncatedHeadersName, "\(lost)")) }
    return Delivery(
      message: message, attempt: Int(count),
      receipt: RedisReceipt(entry: entry, consumer: consumer, count: Int(count)).text)
  }

  /// Starts the leases of deliveries anew, where they are held still.
  /// - Parameters:
  ///   - idleTime: how much of `QueueLease.duration` counts as over from now on.
  ///   - isRelease: whether their hand-out is not to be counted.
  /// - Returns: those that were held.
  func renew(
    _ deliveries: [Delivery], idleTime: Duration, isRelease: Bool = false
  ) async throws(QueueError) -> [Delivery] {
    let known = deliveries.compactMap { delivery in
      RedisReceipt(delivery.receipt).map { (delivery: delivery, receipt: $0) }
    }
    guard !known.isEmpty else { return [] }
    let renew = RedisCommand.renew(
      known.map(\.receipt), of: stream, group: group, idleTime: idleTime, isRelease: isRelease)
    let replies = try await store.ask { [self] in
      if isRelease {
        consumerState.withLock {
          $0.rename()
          $0.askToEnd(deliveries)
        }
      }
      return [renew]
    }
    let places = (replies.first?.elements ?? []).compactMap { $0.integer.map { Int($0) - 1 } }
    let held = places.filter(known.indices.contains).map { known[$0].delivery }
    if isRelease {
      let released = Set(held.map(\.receipt))
      consumerState.withLock { state in
        state.refuseToEnd(deliveries.filter { !released.contains($0.receipt) })
      }
    }
    if Self.hasNoGroup(replies) { return [] }
    try check(replies)
    return held
  }

  /// Whether a publication may be part of the script that settles.
  func isSibling(_ publication: Publication) -> Bool {
    guard let queue = publication.target as? RedisQueue, queue.store === store else { return false }
    return publication.message.headers.count <= Self.maximumHeaders
  }

  /// Throws what the first error among `replies` means.
  /// - Parameter targets: further streams that the commands named.
  func check(_ replies: [RedisReply], targets: [String] = []) throws(QueueError) {
    for reply in replies {
      if let error = reply.error {
        throw QueueError(
          redis: error, store.server,
          keys: [stream, stream + MessageLimits.tooLongSuffix] + targets)
      }
    }
  }

  /// Whether the stream or its group is gone: then nothing is on lease.
  static func hasNoGroup(_ replies: [RedisReply]) -> Bool {
    replies.contains { $0.error?.hasPrefix("NOGROUP") == true }
  }
}
