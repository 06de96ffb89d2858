internal import CCurl

/// All transfers under way, as libcurl's multi interface has them (`libcurl-multi(3)`), which is told of
/// single sockets and of the time that it has asked for. So an event costs the same with one transfer and
/// with hundreds.
@safe final class CurlMulti {
  /// libcurl's own timer.
  private final class Timer {
    var due: ContinuousClock.Instant?
  }

  /// What libcurl has said of its sockets.
  private final class Sockets {
    let connections: ConnectionSockets
    /// Whether one of them has closed before it was connected. libcurl 7.88 goes on to the next address only
    /// when it is asked to do anything, and asks for that by no timer (curl issue 11920).
    var hasLostConnecting = false

    init(_ connections: ConnectionSockets) { self.connections = connections }
  }

  private let multi: UnsafeMutableRawPointer
  // libcurl calls both back until `deinit` has freed it, and until then they are there.
  private let sockets: Sockets
  private let timer = Timer()
  private let connections: Int
  /// Connections that there have been in all when it is worn.
  private let end: Int
  /// Transfers that were added since it is worn.
  private var addedSinceWorn = 0

  /// Transfers under way.
  private(set) var count = 0

  /// Where more are open when a transfer ends, the connection that has been idle for longest is closed: at most
  /// one with each end.
  var maximumOpen: Int {
    didSet {
      guard maximumOpen != oldValue else { return }
      _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximumOpen)
    }
  }

  /// - Parameters:
  ///   - connections: at once, those that are kept for later included: an idle one over TLS holds 50 KB. The
  ///     oldest goes when another is needed.
  ///   - lifetime: connections that it opens before it is worn.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(sockets: ConnectionSockets, connections: Int, lifetime: Int) throws(FetchError) {
    guard let multi = unsafe curl_multi_init() else {
      throw .resourcesExhausted(detail: "libcurl did not start")
    }
    unsafe self.multi = multi
    self.connections = connections
    maximumOpen = connections
    // Without overflow.
    end = sockets.openedCount + min(lifetime, .max / 2)
    self.sockets = Sockets(sockets)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
    _ = unsafe curl_multi_set_socket_function(
      multi,
      { easy, socket, events, sockets, _ in
        let sockets = unsafe Unmanaged<Sockets>.fromOpaque(sockets.unsafelyUnwrapped).takeUnretainedValue()
        // CURL_POLL_REMOVE is neither.
        sockets.connections.wait(
          for: socket, reads: events & CURL_POLL_IN != 0, writes: events & CURL_POLL_OUT != 0)
        if events == CURL_POLL_REMOVE, unsafe EasyHandle.isConnecting(easy) {
          sockets.hasLostConnecting = true
        }
        return 0
      }, Unmanaged.passUnretained(self.sockets).toOpaque())
    _ = unsafe curl_multi_set_timer_function(
      multi,
      { _, milliseconds, timer in
        unsafe Unmanaged<Timer>.fromOpaque(timer.unsafelyUnwrapped).takeUnretainedValue().due =
          milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
        return 0
      }, Unmanaged.passUnretained(timer).toOpaque())
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  /// - Returns: false for want of memory.
  func add(_ easy: borrowing EasyHandle) -> Bool {
    if isWorn { keepNoConnections(behind: easy) }
    guard unsafe curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count += 1
    return true
  }

  /// - Returns: false for one that was added to another.
  @discardableResult
  func remove(_ easy: borrowing EasyHandle) -> Bool {
    guard unsafe curl_multi_remove_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count -= 1
    return true
  }

  /// Whether it has opened as many connections as it may. From then on each is closed with its own transfer:
  /// libcurl forgets the hosts of those.
  var isWorn: Bool { sockets.connections.openedCount >= end }

  /// Whether it is worn, and has hardly any idle connections left.
  var isDrained: Bool { count == 0 ? isWorn : addedSinceWorn >= 2 * connections }

  /// Each connection that is opened takes the place of an idle one then, and none becomes idle.
  private func keepNoConnections(behind easy: borrowing EasyHandle) {
    addedSinceWorn += 1
    // For want of memory its connection is kept: it goes with this value.
    try? easy.set(CURLOPT_FORBID_REUSE, 1)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, count + 1)
  }

  /// When there is something to do without a socket's asking; nil while there is nothing.
  var due: ContinuousClock.Instant? { timer.due }

  /// Does what is to be done by now.
  func act(at now: ContinuousClock.Instant) {
    guard let due, due <= now else { return }
    // It does not say again what it has said, and its clock may be a little behind.
    timer.due = now + .milliseconds(1)
    act(CURL_SOCKET_TIMEOUT, 0)
  }

  /// Does what a socket asks for. Nothing, where it is another's.
  func act(on event: SocketWatch.Event) {
    act(event.descriptor, (event.reads ? CURL_CSELECT_IN : 0) | (event.writes ? CURL_CSELECT_OUT : 0))
  }

  private func act(_ socket: curl_socket_t, _ events: Int32) {
    var running: Int32 = 0
    _ = unsafe curl_multi_socket_action(multi, socket, events, &running)
    // Each of them has a few addresses.
    while sockets.hasLostConnecting {
      sockets.hasLostConnecting = false
      _ = unsafe curl_multi_drive_all(multi, &running)
    }
  }

  /// One that has ended since it was added; nil when there is no more.
  func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      let code = unsafe curl_message_result(message)
      return unsafe (EasyHandle.owner(of: message.pointee.easy_handle), code)
    }
    return nil
  }
}
