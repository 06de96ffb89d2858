internal import CCurl

/// A multi handle of libcurl (`libcurl-multi(3)`), driven by single sockets and its own timer: an event costs
/// the same with one transfer and with hundreds.
@safe final class CurlMulti {
  /// What libcurl's callbacks change.
  private final class Wishes {
    let connections: Connections
    /// Of libcurl's own timer.
    var due: ContinuousClock.Instant?
    /// Whether a socket has closed before it was connected.
    ///
    /// libcurl 7.88.1 (FailureTests): it goes on to the next address only when it is asked to do anything, and sets no
    /// timer for that (curl issue 11920).
    var hasLostConnecting = false

    init(_ connections: Connections) { self.connections = connections }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> Wishes {
      // Set in `init`, and freed behind `deinit`, which frees libcurl's handle.
      unsafe Unmanaged<Wishes>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
    }
  }

  private let multi: UnsafeMutableRawPointer
  private let wishes: Wishes
  private let maximumConnections: Int
  /// The `openedCount` of all connections at which it is worn.
  private let end: Int
  private var addedSinceWorn = 0

  /// Transfers under way.
  private(set) var count = 0

  /// If more connections are open when a transfer ends, the one that was idle for longest is closed. At most
  /// one goes with each end.
  var maximumOpen: Int {
    didSet {
      guard maximumOpen != oldValue else { return }
      _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximumOpen)
    }
  }

  /// - Parameters:
  ///   - maximum: connections at once, idle ones included, each of which holds 50 KB over TLS. If another is
  ///     needed, the oldest goes.
  ///   - lifetime: connections that it opens before it is worn.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(_ connections: Connections, maximum: Int, lifetime: Int) throws(FetchError) {
    guard let multi = unsafe curl_multi_init() else {
      throw .resourcesExhausted(detail: "libcurl did not start")
    }
    unsafe self.multi = multi
    maximumConnections = maximum
    maximumOpen = maximum
    // Without overflow.
    end = connections.openedCount + min(lifetime, .max / 2)
    wishes = Wishes(connections)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximum)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximum)
    unsafe curl_multi_set_callbacks(
      multi, Unmanaged.passUnretained(wishes).toOpaque(),
      { easy, socket, events, wishes, _ in
        let wishes = unsafe Wishes.of(wishes)
        // CURL_POLL_REMOVE is neither.
        wishes.connections.wait(
          for: socket, reads: events & CURL_POLL_IN != 0, writes: events & CURL_POLL_OUT != 0)
        if events == CURL_POLL_REMOVE, unsafe EasyHandle.isConnecting(easy) {
          wishes.hasLostConnecting = true
        }
        return 0
      },
      { _, milliseconds, wishes in
        unsafe Wishes.of(wishes).due = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
        return 0
      })
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  /// - Returns: false if memory is short.
  func add(_ easy: borrowing EasyHandle) -> Bool {
    if isWorn {
      // No connection becomes idle from now on, and each new one takes the place of an idle one.
      addedSinceWorn += 1
      // If memory is short, its connection is kept until this handle goes.
      try? easy.set(CURLOPT_FORBID_REUSE, 1)
      _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, count + 1)
    }
    guard unsafe curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count += 1
    return true
  }

  /// - Returns: false if it was added to another one.
  @discardableResult
  func remove(_ easy: borrowing EasyHandle) -> Bool {
    guard unsafe curl_multi_remove_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count -= 1
    return true
  }

  /// Whether it has opened all the connections of its lifetime. From then on each is closed with its own
  /// transfer: libcurl forgets the hosts of those.
  private var isWorn: Bool { wishes.connections.openedCount >= end }

  /// Whether it is worn, and has hardly any idle connections left.
  var isDrained: Bool { count == 0 ? isWorn : addedSinceWorn >= 2 * maximumConnections }

  /// When `act(at:)` has something to do; nil while it has not.
  var due: ContinuousClock.Instant? { wishes.due }

  func act(at now: ContinuousClock.Instant) {
    guard let due, due <= now else { return }
    // libcurl does not repeat its wish, and its clock may be a little behind.
    wishes.due = now + .milliseconds(1)
    act(CURL_SOCKET_TIMEOUT, 0)
  }

  /// Does nothing for the socket of another one.
  func act(on event: SocketWatch.Event) {
    act(event.descriptor, (event.reads ? CURL_CSELECT_IN : 0) | (event.writes ? CURL_CSELECT_OUT : 0))
  }

  private func act(_ socket: curl_socket_t, _ events: Int32) {
    var running: Int32 = 0
    _ = unsafe curl_multi_socket_action(multi, socket, events, &running)
    // Ends: each transfer has a few addresses.
    while wishes.hasLostConnecting {
      wishes.hasLostConnecting = false
      _ = unsafe curl_multi_drive_all(multi, &running)
    }
  }

  /// A transfer that has ended since it was added; nil if there is no more.
  func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      return unsafe (EasyHandle.owner(of: message.pointee.easy_handle), curl_message_result(message))
    }
    return nil
  }
}
