internal import CLinux
internal import Glibc

/// The sockets that a loop waits for. Idle sockets cost `epoll(7)` nothing.
@safe package final class SocketWatch {
  package struct Event {
    package let descriptor: Int32
    /// Also true if the socket has failed or was hung up. Reading it then reports the error.
    package let reads: Bool
    package let writes: Bool
  }

  private let epoll: Int32
  private var ready = unsafe [epoll_event](repeating: epoll_event(), count: 256)

  /// - Throws: if the process cannot open any more files.
  package init() throws(NoDescriptor) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw NoDescriptor() }
  }

  deinit { close(epoll) }

  /// Starts to wait for `descriptor`, or stops if neither is set. Returns false if memory is short.
  @discardableResult
  package func watch(_ descriptor: Int32, reads: Bool, writes: Bool) -> Bool {
    guard reads || writes else { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) == 0 }
    var event = unsafe epoll_event()
    unsafe event.events = (reads ? EPOLLIN.rawValue : 0) | (writes ? EPOLLOUT.rawValue : 0)
    unsafe event.data.fd = descriptor
    // A closed socket leaves `epoll` by itself, and another one may get its number. Only the kernel
    // knows whether the descriptor is there.
    return unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
      || epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0
  }

  /// Returns events. Handling an event may close the socket of a later event, and a new socket may get
  /// its number. Reading from the new socket does no harm.
  /// - Parameter time: the longest wait in milliseconds. A negative number means for ever.
  package func wait(_ time: Int32) -> [Event] {
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

/// The process cannot open any more files.
package struct NoDescriptor: Error {}
