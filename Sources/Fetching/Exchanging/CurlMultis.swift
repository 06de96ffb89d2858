internal import CCurl

/// The multi handle that new transfers go to and, until its last transfer ends, the one before it.
///
/// libcurl 7.88.1 (HostMemoryTests): a handle does not forget the hosts whose connections it has closed to make
/// room for others (`Curl_conncache_extract_oldest`). It keeps 150 bytes and the name of each until it is freed.
/// Strangers choose the hosts, and thirty thousand would fill the memory, so handles take turns.
final class CurlMultis {
  private let make: () throws(FetchError) -> CurlMulti
  private let connections: Connections
  private var current: CurlMulti
  private var former: CurlMulti?

  /// - Parameters: as those of `CurlMulti`.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(_ connections: Connections, maximum: Int, lifetime: Int) throws(FetchError) {
    self.connections = connections
    make = { () throws(FetchError) in try CurlMulti(connections, maximum: maximum, lifetime: lifetime) }
    current = try make()
  }

  /// As `CurlMulti.maximumOpen`.
  var maximumOpen: Int {
    get { current.maximumOpen }
    set {
      current.maximumOpen = newValue
      former?.maximumOpen = newValue
    }
  }

  /// - Returns: false if memory is short.
  func add(_ easy: borrowing EasyHandle) -> Bool {
    // A worn handle keeps nothing more, however long the former one lasts. If memory is short, it goes on.
    if current.isDrained, former == nil, let next = try? make() {
      if current.count > 0 { former = current }
      current = next
    }
    return current.add(easy)
  }

  func remove(_ easy: borrowing EasyHandle) {
    if !current.remove(easy) { former?.remove(easy) }
    if former?.count == 0 { former = nil }
  }

  /// When `act(at:)` has something to do; nil while it has not.
  var due: ContinuousClock.Instant? { [current.due, former?.due].lazy.compactMap(\.self).min() }

  func act(at now: ContinuousClock.Instant) {
    current.act(at: now)
    former?.act(at: now)
  }

  func act(on event: SocketWatch.Event) {
    guard connections.acknowledge(event.descriptor) else { return }
    current.act(on: event)
    former?.act(on: event)
  }

  /// A transfer that has ended since it was added; nil if there is no more.
  func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    unsafe current.nextEnded() ?? former?.nextEnded()
  }
}
