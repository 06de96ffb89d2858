internal import CLinux
internal import Glibc

/// The sockets for which the transfer loop waits: `epoll(7)`, to which idle sockets cost nothing.
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
    guard epoll >= 0 else { throw .noDescriptor }
  }

  deinit { close(epoll) }

  /// Waits for `descriptor`, or no more if neither is wanted. Returns false if memory is short.
  @discardableResult
  func watch(_ descriptor: Int32, reads: Bool, writes: Bool) -> Bool {
    guard reads || writes else { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) == 0 }
    var event = unsafe epoll_event()
    unsafe event.events = (reads ? EPOLLIN.rawValue : 0) | (writes ? EPOLLOUT.rawValue : 0)
    unsafe event.data.fd = descriptor
    // A closed socket leaves by itself, and another may get its number: only the kernel knows who is there.
    return unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
      || epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
  }

  /// An event may be of a socket that an earlier one has closed. To read its successor does no harm.
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
