internal import CCurl

/// libcurl's multi handle that new transfers go to and, for as long as some of its transfers last, the one before it.
///
/// A handle does not forget the hosts whose connections it has closed to make room for others: of each it keeps
/// 150 bytes and the name until it is freed (libcurl 7.88, `Curl_conncache_extract_oldest`). Strangers choose
/// the hosts, and thirty thousand of them would fill the memory. So handles take turns.
final class CurlMultis {
  private let sockets: ConnectionSockets
  private let connections: Int
  private let lifetime: Int
  private var current: CurlMulti
  private var former: CurlMulti?

  /// - Parameters: as those of `CurlMulti`.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(sockets: ConnectionSockets, connections: Int, lifetime: Int) throws(FetchError) {
    self.sockets = sockets
    self.connections = connections
    self.lifetime = lifetime
    current = try CurlMulti(sockets: sockets, connections: connections, lifetime: lifetime)
  }

  /// As `CurlMulti.maximumOpen`.
  var maximumOpen: Int {
    get { current.maximumOpen }
    set {
      current.maximumOpen = newValue
      former?.maximumOpen = newValue
    }
  }

  /// - Returns: false for want of memory.
  func add(_ easy: borrowing EasyHandle) -> Bool {
    renew()
    return current.add(easy)
  }

  func remove(_ easy: borrowing EasyHandle) {
    if !current.remove(easy) { former?.remove(easy) }
    if former?.count == 0 { former = nil }
  }

  /// Not before the former one has ended: a worn one keeps nothing more, however long that takes.
  private func renew() {
    guard current.isDrained, former == nil else { return }
    // For want of memory it goes on with this one.
    guard let next = try? CurlMulti(sockets: sockets, connections: connections, lifetime: lifetime) else {
      return
    }
    if current.count > 0 { former = current }
    current = next
  }

  /// When there is something to do without a socket's asking; nil while there is nothing.
  var due: ContinuousClock.Instant? {
    guard let first = current.due, let second = former?.due else { return current.due ?? former?.due }
    return min(first, second)
  }

  /// Does what is to be done by now.
  func act(at now: ContinuousClock.Instant) {
    current.act(at: now)
    former?.act(at: now)
  }

  /// Does what a socket asks for.
  func act(on event: SocketWatch.Event) {
    guard sockets.acknowledge(event.descriptor) else { return }
    current.act(on: event)
    former?.act(on: event)
  }

  /// One that has ended since it was added; nil when there is no more.
  func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    unsafe current.nextEnded() ?? former?.nextEnded()
  }
}
