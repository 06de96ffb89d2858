internal import CLinux
internal import Glibc
internal import Queueing

/// The sockets that the loop waits for: epoll(7).
@safe final class SocketEvents {
  private let epoll: Int32
  private var ready = unsafe [epoll_event](repeating: epoll_event(), count: 16)

  init() throws(QueueError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .unavailable("no more files can be opened: raise the limit (ulimit -n)") }
  }

  deinit { close(epoll) }

  /// A closed socket leaves by itself.
  func watch(_ descriptor: Int32, reads: Bool, writes: Bool) {
    var event = unsafe epoll_event()
    unsafe event.events = (reads ? EPOLLIN.rawValue : 0) | (writes ? EPOLLOUT.rawValue : 0)
    unsafe event.data.fd = descriptor
    if unsafe epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) != 0 {
      _ = unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }
  }

  /// Returns the descriptors that are ready, or have failed.
  /// - Parameter time: the longest wait in milliseconds. Negative: for ever.
  func wait(_ time: Int32) -> [Int32] {
    let count = unsafe epoll_wait(epoll, &ready, Int32(ready.count), time)
    return unsafe ready.prefix(Int(max(0, count))).map { unsafe $0.data.fd }
  }
}
