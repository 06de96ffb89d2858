internal import Dispatch
internal import Fetching
internal import Supporting
internal import Synchronization

/// Sends requests to the operator's own services: the object store, and those that give credentials for it.
///
/// The operator chooses their addresses, so the rules for downloads do not apply. In return, an answer never
/// decides where a request goes: no redirect is followed, and no proxy or cookie is used.
final class HTTPClient: Sendable {
  /// In bytes. The rest of a longer body is dropped.
  static let maximumAnswer = 65_536
  /// In bytes, including interim answers and trailers. A longer head fails.
  static let maximumHead = 32_768

  private let connections: Int
  private let certificateFile: String?
  private let idleTime: Duration
  private let inbox = Mutex<Inbox?>(nil)

  /// - Parameters:
  ///   - connections: the most connections to one server. Further requests wait in order.
  ///   - certificateFile: a PEM file of authorities to trust in addition to the system's.
  ///   - idleTime: how long a connection is kept without a request, in whole seconds.
  init(connections: Int = 16, certificateFile: String?, idleTime: Duration = .seconds(30)) {
    (self.connections, self.certificateFile, self.idleTime) = (connections, certificateFile, idleTime)
  }

  deinit { inbox.withLock { $0 }?.close(()) }

  /// Returns any answer, whatever its status. If the server has closed a kept connection, the request
  /// goes over another one without notice.
  /// - Parameter limit: the time within which this returns, whatever the server, the name servers and the
  ///   disk do.
  /// - Throws: `HTTPFailure`, also if the task is cancelled.
  func send(_ request: HTTPRequest, within limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
    try request.check()
    if Task.isCancelled { throw .cancelled }
    let exchange = Exchange(request)
    let inbox = try openInbox(for: request.url)
    inbox.send(.begin(exchange))
    @Sendable func giveUp(_ failure: HTTPFailure) {
      exchange.end(.failure(failure))
      inbox.giveUp(exchange)
    }
    // The thread of the exchanges may be stuck on a disk, so another thread watches the time.
    let alarm = Alarm(at: .now + limit) { giveUp(exchange.lateness(limit)) }
    defer { alarm.switchOff() }
    let result = await exchange.ending.wait(cancelled: .failure(.cancelled)) {
      giveUp(.cancelled)
      return nil
    }
    return try result.get()
  }

  /// Starts the thread of the exchanges with the first request. The thread ends with this object.
  func openInbox(for url: ServiceURL) throws(HTTPFailure) -> Inbox {
    try inbox.withLock { (known) throws(HTTPFailure) in
      if let known { return known }
      do throws(FetchError) {
        if let failure = LibcurlSetup.failure { throw failure }
        // Nothing else uses the loop before its thread gets it.
        nonisolated(unsafe) let loop = try ExchangeLoop(
          connections: connections, certificateFile: certificateFile, idleTime: idleTime)
        let inbox = unsafe loop.inbox
        DispatchQueue(label: "push-enricher.services").async { unsafe loop.run() }
        known = inbox
        return inbox
      } catch {
        throw .lacking(error, for: url)
      }
    }
  }
}
