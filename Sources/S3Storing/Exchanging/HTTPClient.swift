internal import Dispatch
internal import Fetching
internal import Supporting
internal import Synchronization

/// Sends requests to the operator's own services: the object store, and those that give credentials for it.
///
/// Their addresses are the operator's choice, so no rule of downloads binds them. In return, what they answer
/// decides nothing about where a request goes: no redirect is followed, and no proxy or cookie is used.
final class HTTPClient: Sendable {
  /// In bytes. The rest of a longer body is dropped.
  static let maximumAnswer = 65_536
  /// In bytes, with interim answers and trailers. Longer ones fail.
  static let maximumHead = 32_768

  private let connections: Int
  private let certificateFile: String?
  private let idleTime: Duration
  private let inbox = Mutex<Inbox?>(nil)

  /// - Parameters:
  ///   - connections: to one server at once. Further requests to it wait in order.
  ///   - certificateFile: a PEM file of authorities to trust in addition to the system's.
  ///   - idleTime: how long a connection is kept without a request, in whole seconds.
  init(connections: Int = 16, certificateFile: String?, idleTime: Duration = .seconds(30)) {
    (self.connections, self.certificateFile, self.idleTime) = (connections, certificateFile, idleTime)
  }

  deinit { inbox.withLock { $0 }?.close(()) }

  /// Returns any answer, whatever its status. A kept connection that the server has closed is replaced by
  /// another one without notice.
  /// - Parameter limit: the time until this returns, whatever the server, the name servers and the disk do.
  /// - Throws: `HTTPFailure`, also if the task is cancelled.
  func send(_ request: HTTPRequest, within limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
    try request.check()
    let exchange = Exchange(request)
    let inbox = try openInbox(for: request.url)
    inbox.send(.begin(exchange))
    @Sendable func giveUp(_ failure: HTTPFailure) {
      exchange.end(.failure(failure))
      inbox.giveUp(exchange)
    }
    // The thread of the exchanges may be stuck in a disk. The clock is another thread's.
    let alarm = Alarm(at: .now + limit) { giveUp(exchange.lateness(limit)) }
    defer { alarm.switchOff() }
    let result = await exchange.ending.wait(cancelled: .failure(.cancelled)) {
      giveUp(.cancelled)
      return nil
    }
    return try result.get()
  }

  /// Begins the thread of the exchanges with the first request. It ends with this object.
  func openInbox(for url: ServiceURL) throws(HTTPFailure) -> Inbox {
    try inbox.withLock { (known) throws(HTTPFailure) in
      if let known { return known }
      do throws(FetchError) {
        if let failure = LibcurlSetup.failure { throw failure }
        // Nobody else has seen it before its thread gets it.
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
