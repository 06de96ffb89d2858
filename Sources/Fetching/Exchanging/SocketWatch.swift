internal import CLinux
internal import Glibc

/// The sockets that the transfer loop waits for, on behalf of libcurl, c-ares and the inbox: `epoll(7)`,
/// whose cost does not grow with the sockets that nothing happens to.
@safe final class SocketWatch {
  struct Event {
    let descriptor: Int32
    /// Also if the socket has failed or was hung up: reading says how.
    let reads: Bool
    let writes: Bool
  }

  private let epoll: Int32
  private var ready = unsafe [epoll_event](repeating: epoll_event(), count: 256)

  init() throws(FetchError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .resourcesExhausted(detail: "no file descriptor left") }
  }

  deinit { close(epoll) }

  /// Waits for `descriptor` from now on; no more if neither is wanted. False if memory is short.
  @discardableResult
  func watch(_ descriptor: Int32, reads: Bool, writes: Bool) -> Bool {
    guard reads || writes else { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) == 0 }
    var event = unsafe epoll_event()
    unsafe event.events = (reads ? EPOLLIN.rawValue : 0) | (writes ? EPOLLOUT.rawValue : 0)
    unsafe event.data.fd = descriptor
    // A socket leaves when it is closed, and another may get its number: only the kernel knows which are
    // there.
    return unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
      || epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
  }

  /// An earlier event may close the socket of a later one. Whoever has its number then is not harmed by
  /// looking.
  /// - Parameter time: milliseconds at most.
  func wait(_ time: Int32) -> [Event] {
    let count = unsafe epoll_wait(epoll, &ready, Int32(ready.count), time)
    return unsafe ready.prefix(Int(max(0, count))).map { event in
      let kinds = unsafe event.events
      let hasEnded = kinds & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
      return Event(
        descriptor: unsafe event.data.fd, reads: hasEnded || kinds & EPOLLIN.rawValue != 0,
        writes: hasEnded || kinds & EPOLLOUT.rawValue != 0)
    }
  }
}
