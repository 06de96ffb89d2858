internal import Notifications
package import PushQueueing
package import Queueing
internal import Supporting

/// Gives pushes their positions before they are sent, and notes APNs' answers. If a push cannot have a
/// position, it is sent without one, because showing it matters more than numbering it.
package struct PushNumbering: Sendable {
  package let queue: any PushQueue
  let keys: TicketKeys
  /// Called with the reason when a push gets no position although it names its device.
  let tell: @Sendable (String) -> Void

  package init(
    with queue: any PushQueue, keys: TicketKeys, tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.queue, self.keys, self.tell) = (queue, keys, tell)
  }

  /// Gives positions to the requests that can have them, and marks them. Durable on return.
  /// - Returns: a position, or nil, for each request.
  func number(_ requests: inout [PushRequest]) async throws(QueueError) -> [QueuePosition?] {
    let now = WallClock.milliseconds
    var (offers, indices) = ([OfferedPush](), [Int]())
    for (index, request) in requests.enumerated() {
      guard let device = request.deviceID, takesMark(request) else { continue }
      offers.append(OfferedPush(request, of: device, at: now))
      indices.append(index)
    }
    var positions = [QueuePosition?](repeating: nil, count: requests.count)
    guard !offers.isEmpty else { return positions }
    for (index, position) in zip(indices, try await queue.assign(offers, at: now)) {
      requests[index].mark(QueueMark(position, keys: keys))
      positions[index] = position
    }
    return positions
  }

  /// Notes the final answers. Until then, the pushes count as under way, so that no device can ask for them.
  /// - Parameter isDeadReported: false if pushes to dead tokens are sent again.
  func note(
    _ outcomes: [PushOutcome?], to positions: [QueuePosition?], isDeadReported: Bool
  ) async throws(QueueError) {
    let answers = zip(outcomes, positions).compactMap { outcome, position -> NotedAnswer? in
      guard let position, let answer = outcome?.noted, answer != .dead || isDeadReported else { return nil }
      return NotedAnswer(position, answer)
    }
    if !answers.isEmpty { try await queue.note(answers, at: WallClock.milliseconds) }
  }

  private func takesMark(_ request: PushRequest) -> Bool {
    let push = "push \(request.id ?? request.message)"
    switch request.markRoom {
    case .none: return false
    case .taken:
      tell("\(push): its payload already has a member q: rename it")
      return false
    case .free: break
    }
    let free = PushType.alert.maximumPayloadSize - request.body.count
    if free >= QueueMark.maximumSize { return true }
    tell(
      "\(push): its payload has \(request.body.count) bytes, which leaves \(free) for the mark, and it takes \(QueueMark.maximumSize): shorten it, or let work leave room with the same --push-queue"
    )
    return false
  }
}

extension OfferedPush {
  fileprivate init(_ request: PushRequest, of device: String, at now: Int64) {
    let latest = now + PushQueueLimits.longestLife
    self.init(
      device: AppDevice(app: request.topic, device: device), token: request.device, message: request.message,
      // 0 means that APNs tries only once.
      expires: request[.expiration].flatMap { Int64($0) }.map { min($0 * 1_000, latest) } ?? latest,
      collapseID: request[.collapseID], body: request.body,
      headers: request.headers.filter {
        ![RequestHeader.id.name, RequestHeader.collapseID.name].contains($0.name)
      })
  }
}

extension PushRequest {
  /// Puts the mark into the payload. Adds a collapse id if the sender gave none, so that a device never shows
  /// the push twice.
  fileprivate mutating func mark(_ mark: QueueMark) {
    body = mark.insert(into: body) ?? body
    if self[.collapseID] == nil {
      headers.append(Header(RequestHeader.collapseID.name, mark.position.collapseID))
    }
  }

  /// A push that is sent again. Its `apns-id` is new each time, because a push with the same id is
  /// not shown twice.
  init(_ kept: KeptPush, with keys: TicketKeys) {
    let (push, position) = (kept.push, kept.position)
    let message = "\(push.message) \(position.epoch) \(position.position) \(kept.resent)"
    let id = PushID.make(from: message)
    var headers = push.headers
    if let id { headers.append(Header(RequestHeader.id.name, id)) }
    headers.append(Header(RequestHeader.collapseID.name, push.collapseID ?? position.collapseID))
    self.init(
      message: message, device: push.token, topic: position.device.app, type: .alert, id: id,
      headers: headers,
      body: QueueMark(position, keys: keys, isRepeat: true).insert(into: push.body) ?? push.body,
      expiration: Int(push.expires / 1_000), deviceID: position.device.device)
  }
}

extension PushOutcome {
  /// Nil if the push will be sent again.
  fileprivate var noted: NotedAnswer.Answer? {
    switch self {
    case .result(.sent): .accepted
    case .result(.rejected(let rejection)):
      rejection.reason == PushRequest.expiredReason ? .expired : .rejected
    case .dead: .dead
    case .result(.unavailable), .credentials: nil
    }
  }
}

extension APNsSink {
  /// Resends pushes that devices have missed, reports dead tokens, and notes the answers.
  /// - Throws: if dead tokens cannot be reported, after all answers are noted. Their pushes are sent again.
  package func sendAgain(_ pushes: [KeptPush], with numbering: PushNumbering) async throws(QueueError) {
    let batch = PushBatch(pushes.map { PushRequest($0, with: numbering.keys) })
    let outcomes = await send(batch)
    let failure = await reportDead(outcomes, of: batch)
    let lost = batch.lost
    let answers = zip(pushes.indices, outcomes).map { index, outcome in
      let answer: NotedAnswer.Answer = outcome?.noted ?? (lost.contains(index) ? .uncertain : .later)
      return NotedAnswer(pushes[index].position, answer == .dead && failure != nil ? .later : answer)
    }
    try await numbering.queue.note(answers, at: WallClock.milliseconds)
    if let failure { throw failure }
  }
}
