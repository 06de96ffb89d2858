package import Queueing
internal import Supporting
internal import Synchronization

/// Sends messages as pushes. The headers of a message are the device token and APNs' request headers.
package final class APNsSink: DeadTokenSink, StoppableSink {
  private let loop: PushLoop
  private let topic: String?
  private let patience: Duration
  /// The most pushes in a second. Nil means as many as APNs takes.
  package let rate: Int?
  private let deadTokens = Mutex<(any Sink)?>(nil)
  private let numbering = Mutex<PushNumbering?>(nil)

  /// The counts since the start.
  package var counts: SendingTally.Counts {
    var counts = loop.tally.current
    if case .token(let token) = loop.credentials { counts.tokenAge = token.age }
    return counts
  }

  /// - Throws: `QueueError.refused` if the key or certificate cannot be used. Asks no server.
  convenience init(_ url: APNsURL, in queues: Queues) throws(QueueError) {
    let target = PushTarget(
      host: url.host, port: url.port, topic: url.topic, connections: url.connections, rate: url.rate,
      certificateFile: queues.certificateFile)
    let loop = try queues.store(at: Place(url)) { () throws(QueueError) in
      let credentials = try url.credentials()
      // Reports a wrong file at the start.
      _ = try TLSContext(trusting: target.certificateFile, credentials)
      return try PushLoop(target, credentials, PushTimes())
    }
    self.init(loop, topic: url.topic, patience: queues.patience, rate: url.rate)
  }

  /// Pushes with the same key share connections and a token.
  private struct Place: Hashable, Sendable {
    let host: String
    let port: Int
    let login: APNsURL.Login

    init(_ url: APNsURL) { (host, port, login) = (url.host, url.port, url.login) }
  }

  /// - Parameter patience: how long APNs may refuse the credentials until `send` gives up.
  init(_ loop: PushLoop, topic: String?, patience: Duration = .seconds(3_600), rate: Int? = nil) {
    (self.loop, self.topic, self.patience, self.rate) = (loop, topic, patience, rate)
  }

  /// Sends dead tokens to `sink`, as `{"token":…,"topic":…,"timestamp":…,"reason":…}`. Their pushes
  /// then count as sent. Otherwise they are rejected.
  package func report(deadTokensTo sink: any Sink) { deadTokens.withLock { $0 = sink } }

  package func stop() { loop.stop() }

  /// From now on, pushes that name their device (header `device-id`) get positions.
  package func number(with numbering: PushNumbering) { self.numbering.withLock { $0 = numbering } }

  func send(_ batch: PushBatch) async -> [PushOutcome?] { await loop.send(batch) }

  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    var (results, requests) = ([SendResult?](), [PushRequest]())
    results.reserveCapacity(messages.count)
    let now = Int(WallClock.seconds)
    let numbering = numbering.withLock(\.self)
    for message in messages {
      do throws(Rejection) {
        requests.append(
          try PushRequest(message, topic: topic, now: now, isNumbered: numbering != nil))
        results.append(nil)
      } catch {
        results.append(.rejected(error))
      }
    }
    guard !requests.isEmpty else { return results.compactMap(\.self) }
    let positions = try await numbering?.number(&requests)
    let batch = PushBatch(requests)
    let outcomes = await send(batch)
    if let start = loop.tally.current.faultStart, MonotonicTime.now - start >= patience,
      outcomes.allSatisfy({ if case .credentials? = $0 { true } else { false } }),
      case .credentials(let detail)?? = outcomes.first
    {
      throw .refused(detail)
    }
    let answers = try Self.answers(to: batch, outcomes, alone: requests.count == messages.count)
    var next = answers.makeIterator()
    let all = results.map { $0 ?? next.next() ?? .unavailable("the push has no answer", after: nil) }
    let failure = await reportDead(outcomes, of: batch)
    if let numbering, let positions {
      // If this fails, the pushes are sent again with the same positions. That does less harm than losing an
      // answer.
      try await numbering.note(outcomes, to: positions, isDeadReported: failure == nil)
    }
    return all.map { result in
      guard case .rejected(let rejection) = result, rejection.reason == Self.deadReason, reportsDeadTokens
      else {
        return result
      }
      return failure.map { .unavailable("a dead token cannot be reported: \($0)", after: .seconds(1)) }
        ?? .sent
    }
  }

  /// - Parameter alone: whether the call has no other messages. One error can then stand for all.
  private static func answers(
    to batch: PushBatch, _ outcomes: [PushOutcome?], alone: Bool
  ) throws(QueueError) -> [SendResult] {
    var (results, refused) = ([SendResult](), 0)
    for (index, outcome) in outcomes.enumerated() {
      switch outcome {
      case .result(let result)?: results.append(result)
      case .dead(let answer)?: results.append(.rejected(answer.rejection(batch.requests[index])))
      case .credentials(let detail)?:
        refused += 1
        if alone, refused == batch.requests.count { throw .unavailable(detail) }
        results.append(.unavailable(detail, after: nil))
      case nil: results.append(.unavailable("the push has no answer", after: nil))
      }
    }
    return results
  }

  private static func record(of answer: PushAnswer, _ request: PushRequest) -> [UInt8] {
    // Of these values, only a topic may contain characters that JSON escapes.
    let topic = request.topic.map { #""\"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    let time = answer.timestamp.map { "\($0)" } ?? "null"
    return Array(
      #"{"token":"\#(request.device)","topic":"\#(topic)","timestamp":\#(time),"reason":"\#(answer.reason ?? "")"}"#
        .utf8)
  }

  private var reportsDeadTokens: Bool { deadTokens.withLock { $0 != nil } }

  /// Reports the dead tokens among the outcomes if there is a sink for them.
  /// - Returns: why the report failed, or nil. After a failure, their pushes are sent again, which
  ///   does no harm.
  func reportDead(_ outcomes: [PushOutcome?], of batch: PushBatch) async -> QueueError? {
    guard let sink = deadTokens.withLock({ $0 }) else { return nil }
    let dead = zip(batch.requests, outcomes).compactMap { request, outcome -> Message? in
      guard case .dead(let answer)? = outcome else { return nil }
      return Message(body: Self.record(of: answer, request))
    }
    guard !dead.isEmpty else { return nil }
    do throws(QueueError) { try await sink.publish(dead) } catch { return error }
    return nil
  }

  /// The reason in `PushAnswer.rejection`.
  static let deadReason = "token-dead"
}

/// Nothing can be taken from APNs. `APNsURL.open` refuses every other use.
extension APNsSink: Source {
  private static var refusal: QueueError { .refused("nothing can be taken from APNs") }

  package func receive(
    _ limit: Int, waitingUpTo duration: Duration
  ) async throws(QueueError) -> [Delivery]? { throw Self.refusal }
  package func release(_ deliveries: [Delivery]) async throws(QueueError) { throw Self.refusal }
  package func settle(
    _ delivery: Delivery, publishing: [Publication]
  ) async throws(QueueError) -> SendResult { throw Self.refusal }
  package func browse(_ limit: Int) async throws(QueueError) -> [Message] { throw Self.refusal }
}
