internal import Queueing
internal import Supporting
internal import Synchronization

/// Commands behind the methods of the queue.
extension RedisQueue {
  /// The process of a consumer that holds nothing and has not asked for this long has ended.
  static let silence = Duration.seconds(600)

  /// Hands out entries that are free, and then new ones.
  func take(_ limit: Int) async throws(QueueError) -> [Delivery] {
    defer { beginSigns() }
    let request = Mutex<Request?>(nil)
    let handedOut = Mutex<[Delivery]>([])
    let replies = try await store.ask(noting: { [self] result in
      guard let request = request.withLock({ $0 }) else { return }
      handedOut.withLock { $0 = note(result, to: request) }
    }) { [self] in
      let made = consumerState.withLock { Request(&$0) }
      request.withLock { $0 = made }
      let receive = RedisCommand.receive(
        limit, from: stream, group: group, consumer: made.consumer, sign: made.sign, search: made.search,
        ended: made.ended)
      return hasTidied.exchange(true, ordering: .relaxed)
        ? [receive] : [receive, .tidy(stream, group: group, silence: Self.silence)]
    }
    // Not the reply to `tidy`, which may fail.
    try check(Array(replies.prefix(1)))
    return handedOut.withLock { $0 }
  }

  /// Of messages.
  private struct Request {
    let consumer: String
    let sign: ConsumerState.Sign
    let search: (names: [String], known: [String])
    let ended: [ConsumerCensus.Ended]

    init(_ state: inout ConsumerState) {
      consumer = state.consumer
      sign = state.sign()
      search = state.search()
      ended = state.census.ended
    }
  }

  private func note(_ result: Result<[RedisReply], QueueError>, to request: Request) -> [Delivery] {
    guard case .success(let replies) = result else {
      consumerState.withLock { $0.rename() }
      return []
    }
    let deliveries = (replies.first?.elements ?? []).compactMap { delivery($0.elements) }
    consumerState.withLock { state in
      // The script may have ended after it had taken some, which did not arrive then.
      if replies.first?.error != nil { state.rename() }
      guard !deliveries.isEmpty else { return state.withdraw(request.sign) }
      state.confirm(request.sign)
      state.take(deliveries, request.sign)
    }
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

  /// Frees the messages of deliveries.
  /// - Returns: those that were held.
  func free(_ deliveries: [Delivery]) async throws(QueueError) -> [Delivery] {
    let known = deliveries.compactMap { delivery in
      RedisReceipt(delivery.receipt).map { (delivery: delivery, receipt: $0) }
    }
    guard !known.isEmpty else { return [] }
    let release = RedisCommand.release(known.map(\.receipt), of: stream, group: group)
    let replies = try await store.ask { [self] in
      consumerState.withLock {
        $0.rename()
        $0.askToEnd(deliveries)
      }
      return [release]
    }
    let places = (replies.first?.elements ?? []).compactMap { $0.integer.map { Int($0) - 1 } }
    let held = places.filter(known.indices.contains).map { known[$0].delivery }
    let released = Set(held.map(\.receipt))
    consumerState.withLock { state in
      state.refuseToEnd(deliveries.filter { !released.contains($0.receipt) })
    }
    if Self.hasNoGroup(replies) { return [] }
    try check(replies)
    return held
  }

  /// Whether a delivery is still held.
  func holds(_ receipt: RedisReceipt) async throws(QueueError) -> Bool {
    let ask = RedisCommand("XPENDING", stream, group, receipt.entry, receipt.entry, "1")
    let replies = try await store.ask { [ask] }
    if Self.hasNoGroup(replies) { return false }
    try check(replies)
    guard let entry = replies.first?.elements.first?.elements, entry.count == 4 else { return false }
    return entry[1].text == receipt.consumer && entry[3].integer.map { Int($0) } == receipt.count
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
