internal import CCurl

/// A multi handle of libcurl (`libcurl-multi(3)`), driven by single sockets and its own timer.
@safe final class CurlMulti {
  private final class Wishes {
    let connections: Connections
    var due: ContinuousClock.Instant?
    /// A socket has closed before it was connected. libcurl 7.88.1 (NameTests) goes on to the next address
    /// only when it is asked to do anything, and sets no timer for that (curl issue 11920).
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
  /// The `openedCount` at which it is worn.
  private let end: Int
  private var addedSinceWorn = 0

  private(set) var count = 0

  var maximumOpen: Int {
    didSet {
      guard maximumOpen != oldValue else { return }
      _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximumOpen)
    }
  }

  /// - Parameters:
  ///   - maximum: connections at once, idle ones included. Each holds 50 KB over TLS.
  ///   - lifetime: connections until it is worn. Then each is closed, and forgotten, with its own transfer.
  init(_ connections: Connections, maximum: Int, lifetime: Int) throws(FetchError) {
    guard let multi = unsafe curl_multi_init() else {
      throw .resourcesExhausted(detail: "libcurl did not start")
    }
    unsafe self.multi = multi
    maximumConnections = maximum
    maximumOpen = maximum
    end = connections.openedCount + min(lifetime, .max / 2)
    wishes = Wishes(connections)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximum)
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, maximum)
    unsafe curl_multi_set_callbacks(
      multi, Unmanaged.passUnretained(wishes).toOpaque(),
      { easy, socket, events, wishes, _ in
        let wishes = unsafe Wishes.of(wishes)
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

  @discardableResult
  func remove(_ easy: borrowing EasyHandle) -> Bool {
    guard unsafe curl_multi_remove_handle(multi, easy.pointer) == CURLM_OK else { return false }
    count -= 1
    return true
  }

  private var isWorn: Bool { wishes.connections.openedCount >= end }

  var isDrained: Bool { count == 0 ? isWorn : addedSinceWorn >= 2 * maximumConnections }

  var due: ContinuousClock.Instant? { wishes.due }

  func act(at now: ContinuousClock.Instant) {
    guard let due, due <= now else { return }
    // libcurl does not repeat its wish, and its clock may be a little behind.
    wishes.due = now + .milliseconds(1)
    act(CURL_SOCKET_TIMEOUT, 0)
  }

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

  func nextEnded() -> (owner: UnsafeMutableRawPointer?, code: CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      return unsafe (EasyHandle.owner(of: message.pointee.easy_handle), curl_message_result(message))
    }
    return nil
  }
}
