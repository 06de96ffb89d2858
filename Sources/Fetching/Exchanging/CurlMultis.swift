internal import CCurl
internal import Supporting

/// The multi handle that takes new transfers, and the former one until its last transfer ends.
/// libcurl 7.88.1 (HostMemoryTests) never forgets a host if it closed the host's connection to make room
/// (`Curl_conncache_extract_oldest`), and strangers choose the hosts. A new handle starts afresh.
final class CurlMultis {
  private let make: () throws(FetchError) -> CurlMulti
  private let connections: Connections
  private var current: CurlMulti
  private var former: CurlMulti?

  init(_ connections: Connections, maximum: Int, lifetime: Int) throws(FetchError) {
    self.connections = connections
    make = { () throws(FetchError) in try CurlMulti(connections, maximum: maximum, lifetime: lifetime) }
    current = try make()
  }

  func limitOpen(to maximum: Int) {
    current.limitOpen(to: maximum)
    former?.limitOpen(to: maximum)
  }

  func add(_ easy: borrowing EasyHandle) -> Bool {
    // A worn handle stays in use if memory is short or the former one is still there.
    if current.isDrained, former == nil, let next = try? make() {
      if current.count > 0 { former = current }
      current = next
    }
    return current.add(easy)
  }

  func remove(_ easy: borrowing EasyHandle) {
    if !current.remove(easy) { _ = former?.remove(easy) }
    if former?.count == 0 { former = nil }
  }

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

  func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    unsafe current.nextEnded() ?? former?.nextEnded()
  }
}
