internal import Notifications
package import Queueing
internal import Serving
internal import Supporting
internal import Synchronization

/// Takes payloads over HTTP. A message is on lease while its client waits. The answer acknowledges it: it
/// contains the result, or says that the result was published into a queue. If the client goes away, the
/// message is dropped, because the client knows that it got no answer.
package final class Door: DrainableSource, Sink {
  static let path = "/v1/enrich"
  /// How often the door looks for clients that have waited too long.
  private static let interval = Duration.milliseconds(50)
  /// How long clients may take to read the last answers when the process ends.
  private static let longestFarewell = Duration.seconds(2)

  private let endpoint: Endpoint
  private let settings: DoorSettings
  private let visits: Visits
  private let server = Mutex<Server?>(nil)

  init(at endpoint: Endpoint, _ settings: DoorSettings) {
    self.endpoint = endpoint
    self.settings = settings
    visits = Visits(places: settings.places)
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try await open()
    await visits.wait(upTo: duration)
    return visits.take(limit)
  }

  /// Starts to listen at the first `receive`. Clients that come earlier are refused. Otherwise they would
  /// wait for a worker that may never start.
  private func open() async throws(QueueError) {
    guard server.withLock({ $0 == nil }), !visits.isClosed else { return }
    do throws(ServingError) {
      let server = try await Server.start(
        at: endpoint, routes: [route], limits: limits, counting: settings.answered)
      self.server.withLock { $0 = server }
      settings.opened("\(server.endpoint)")
    } catch .endpointTaken {
      // The port may belong to the previous worker, which is about to end.
      throw .unavailable("\(ServingError.endpointTaken(endpoint))")
    } catch {
      throw .refused("\(error)")
    }
    Task { [weak visits, patience = settings.patience] in
      while (try? await Task.sleep(for: Self.interval)) != nil, let visits {
        let now = ContinuousClock.now
        visits.ring(at: now)
        visits.dismiss(arrivedBefore: now - patience, .late)
      }
    }
  }

  private var limits: ServerLimits {
    var limits = ServerLimits()
    limits.connections = settings.connections
    limits.backlog = settings.connections
    // Clients keep connections for about a minute, and a new connection for each push is slower.
    limits.idle = .seconds(75)
    limits.transfer = .seconds(30)
    limits.pieceBytes = 4_096
    return limits
  }

  private var route: Route {
    let access = settings.token.map { Access.bearer(token: $0) } ?? .anyone
    let isOpenToPages = settings.token != nil
    return Route(
      Self.path, .post, bodyLimit: Payload.maximumLength, in: BodyRoom(bytes: settings.bodyBytes),
      for: access
    ) { [visits] request in
      if visits.isClosed { return .draining }
      // Browsers let any page post to this machine (fetch.spec.whatwg.org, `no-cors`), but add `Origin`.
      return !isOpenToPages && request.value(of: "Origin") != nil ? .fromPage : nil
    } _: { [visits] request in
      let arrival = ContinuousClock.now
      do throws(PayloadError) { _ = try PushMessage(request.body) } catch { return .invalid(error) }
      let visit = Visit(Message(body: request.body, headers: request.travelling), arrival: arrival)
      guard visits.enter(visit) else { return visits.isClosed ? .draining : .crowded }
      return await visit.reply.wait(cancelled: .unheard) { visits.leave(visit) }
    }
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    guard visits.contains(delivery) else { throw .leaseLost(id: delivery.message.id) }
    guard let last = publications.last else {
      visits.answer(delivery, .unpublished)
      return .sent
    }
    let isOwn = { (publication: Publication) in (publication.target as? Door) === self }
    let answer = try await publications.filter { !isOwn($0) }.publish()
    guard answer == .sent else { return answer }
    publications.filter(isOwn).forEach { $0.note(.sent) }
    visits.answer(delivery, isOwn(last) ? .result(last.message) : .published(last.message))
    return .sent
  }

  /// Ends the visits. A worker that gives a delivery back does not work on it again, and no other worker can.
  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    for delivery in deliveries { visits.answer(delivery, .unpublished) }
  }

  package func requeue(_ delivery: Delivery) async throws(QueueError) { try await release([delivery]) }

  package func stopReceiving() async { visits.close() }

  package func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]? {
    visits.close()
    if !waits { visits.dismiss(arrivedBefore: nil, .draining) }
    return visits.take(limit)
  }

  package func finish() async {
    visits.close()
    visits.dismiss(arrivedBefore: .now, .unpublished)
    await server.withLock { $0.take() }?.stop(within: Self.longestFarewell)
  }

  package var backlog: Backlog? { get async throws(QueueError) { visits.backlog } }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    throw .refused("a door keeps nothing that could be looked at")
  }

  /// Rejects all messages: a message without a visit has no client.
  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    messages.map { _ in .rejected(Rejection("no-client", detail: "no client is waiting for it")) }
  }
}
