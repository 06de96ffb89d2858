internal import PushQueueing
internal import Queueing
internal import Serving
internal import Supporting
internal import Synchronization

/// Checks requests, and passes those with a valid ticket to the push queue.
final class Desk: Sendable {
  /// In bytes. A request of the library `NotificationExtension` takes less than 300.
  private static let longestBody = 1_024
  private static let warningPause = Duration.seconds(10)

  private let queue: any PushQueue
  private let keys: TicketKeys
  private let warn: @Sendable (String) -> Void
  private let now: @Sendable () -> Int64
  private let rates = AddressRates()
  private let freeCalls: Atomic<Int>
  private let nextWarning = Mutex(MonotonicTime.now)

  init(
    queue: any PushQueue, keys: TicketKeys, calls: Int, warn: @escaping @Sendable (String) -> Void,
    now: @escaping @Sendable () -> Int64
  ) {
    (self.queue, self.keys, self.warn, self.now) = (queue, keys, warn, now)
    freeCalls = Atomic(calls)
  }

  var routes: [Route] {
    [
      route("/v1/missed") { (body) throws(BodyFault) in
        try body.question
      } asking: {
        [queue] (question, now) async throws(QueueError) in
        Response(try await queue.ask(question, at: now))
      },
      route("/v1/receipts") { (body) throws(BodyFault) in
        try body.receipt
      } asking: {
        [queue] (receipt, now) async throws(QueueError) in
        Response(try await queue.note(receipt, at: now))
      },
    ]
  }

  private func route<Message: Sendable>(
    _ path: String, reading read: @escaping @Sendable (DeviceBody) throws(BodyFault) -> Message,
    asking ask: @escaping @Sendable (Message, Int64) async throws(QueueError) -> Response
  ) -> Route {
    Route(path, .post, bodyLimit: Self.longestBody, unless: { [self] in refusal(of: $0) }) {
      [self] request in
      let body: DeviceBody
      let message: Message
      do throws(BodyFault) {
        body = try DeviceBody(request.body)
        message = try read(body)
      } catch {
        return .malformed(error)
      }
      // Checked before the queue is asked, so that a stranger learns nothing, not even from the time it
      // takes.
      guard let ticket = request.ticket, keys.isValid(ticket, for: body.position) else { return .foreign }
      defer { freeCalls.add(1, ordering: .relaxed) }
      guard freeCalls.subtract(1, ordering: .relaxed).newValue >= 0 else { return .crowded }
      do throws(QueueError) { return try await ask(message, now()) } catch {
        report(error)
        return .unavailable
      }
    }
  }

  /// Refuses requests by their head, before the body is read.
  private func refusal(of request: Request) -> Response? {
    if let peer = request.peer, let wait = rates.wait(for: peer, at: .now) { return .tooSoon(wait) }
    return request.ticket == nil ? .foreign : nil
  }

  /// Warns only once in a while, because strangers decide how often they ask.
  private func report(_ error: QueueError) {
    let isDue = nextWarning.withLock { next in
      let now = MonotonicTime.now
      guard now >= next else { return false }
      next = now + Self.warningPause
      return true
    }
    if isDue { warn("the push queue does not answer devices: \(error)") }
  }
}

extension Request {
  /// The ticket in the request (RFC 6750 section 2.1).
  fileprivate var ticket: String? {
    let scheme = "bearer ".utf8
    guard let field = value(of: "Authorization")?.utf8,
      field.prefix(scheme.count).map(\.lowercasedASCII).elementsEqual(scheme)
    else { return nil }
    return String(decoding: field.dropFirst(scheme.count), as: UTF8.self)
  }
}
