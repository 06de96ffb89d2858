package import CCurl
package import Supporting

/// A multi handle of libcurl (`libcurl-multi(3)`), driven by socket events and its own timer.
@safe package final class CurlMulti {
  private let multi: UnsafeMutableRawPointer
  private let connections: Connections
  private let maximumConnections: Int
  private let wornCount: Int
  private var addedSinceWorn = 0
  /// Whether a socket was closed before it was connected. libcurl 7.88.1 (NameTests) tries the next
  /// address only when it is called again, and sets no timer for that (curl issue 11920). The same
  /// holds for a socket that fails at once (UnreachableTests), as without a route.
  private var hasLostConnecting = false
  package private(set) var due: ContinuousClock.Instant?
  private(set) var count = 0

  /// - Parameters:
  ///   - maximum: connections at the same time, including idle ones. Each takes 50 KB over TLS.
  ///   - lifetime: connections until the handle is worn. It closes and forgets any later ones.
  package init(_ connections: Connections, maximum: Int, lifetime: Int) throws(FetchError) {
    guard let multi = unsafe curl_multi_init() else { throw .libcurlDidNotStart }
    unsafe self.multi = multi
    self.connections = connections
    maximumConnections = maximum
    wornCount = connections.openedCount + min(lifetime, .max / 2)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximum)
    limitOpen(to: maximum)
    unsafe curl_multi_set_callbacks(
      multi, Unmanaged.passUnretained(self).toOpaque(),
      { easy, socket, events, multi, _ in
        let multi = unsafe CurlMulti.of(multi)
        multi.connections.wait(
          for: socket, reads: events & CURL_POLL_IN != 0, writes: events & CURL_POLL_OUT != 0)
        if events == CURL_POLL_REMOVE, unsafe EasyHandle.isConnecting(easy) { multi.hasLostConnecting = true }
        return 0
      },
      { _, milliseconds, multi in
        unsafe CurlMulti.of(multi).due = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
        return 0
      })
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> CurlMulti {
    // The pointer is set in `init`, and libcurl uses it until `deinit` has freed the handle.
    unsafe Unmanaged<CurlMulti>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }

  func limitOpen(to maximum: Int) { _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximum) }

  package func add(_ easy: borrowing EasyHandle) -> Bool {
    if isWorn {
      // From now on, no connection becomes idle (unless memory is short): new ones replace idle
      // ones.
      addedSinceWorn += 1
      try? easy.set(CURLOPT_FORBID_REUSE, 1)
      _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, count + 1)
    }
    guard unsafe curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count += 1
    return true
  }

  /// Returns false if `easy` belongs to another multi handle.
  @discardableResult package func remove(_ easy: borrowing EasyHandle) -> Bool {
    guard unsafe curl_multi_remove_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count -= 1
    return true
  }

  private var isWorn: Bool { connections.openedCount >= wornCount }
  var isDrained: Bool { count == 0 ? isWorn : addedSinceWorn >= 2 * maximumConnections }

  package func act(at now: ContinuousClock.Instant) {
    guard let due, due <= now else { return }
    // Try again in 1 ms: libcurl's clock may be a bit behind, and it does not set its timer again. Nor does it stop its
    // timer if this was the last one: without a transfer, this loop would turn 500 times a second for nothing.
    self.due = count > 0 ? now + .milliseconds(1) : nil
    act(CURL_SOCKET_TIMEOUT, 0)
  }

  package func act(on event: SocketWatch.Event) {
    act(event.descriptor, (event.reads ? CURL_CSELECT_IN : 0) | (event.writes ? CURL_CSELECT_OUT : 0))
  }

  private func act(_ socket: curl_socket_t, _ events: Int32) {
    var running: Int32 = 0
    _ = unsafe curl_multi_socket_action(multi, socket, events, &running)
    // This loop ends because each transfer has only a few addresses.
    while connections.takeFailures() || hasLostConnecting {
      hasLostConnecting = false
      _ = unsafe curl_multi_drive_all(multi, &running)
    }
  }

  package func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      return unsafe (EasyHandle.owner(of: message.pointee.easy_handle), curl_message_result(message))
    }
    return nil
  }
}
