internal import CLinux
internal import Glibc
internal import Queueing
internal import Synchronization

/// Ends the wait of a thread when there is something for it to do.
final class Wakeup: Sendable {
  private let pending = Atomic(0)
  /// An `eventfd(2)` that is readable once something has been announced.
  private let descriptor: Int32

  /// - Throws: `QueueError.unavailable` when there is no descriptor left.
  init() throws(QueueError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw .unavailable("there is no file descriptor left") }
  }

  deinit { close(descriptor) }

  /// Whether something is waiting for the thread.
  var isPending: Bool { pending.load(ordering: .acquiring) > 0 }

  /// Something is to be done; whoever begins it calls `begin`.
  func announce() {
    pending.wrappingAdd(1, ordering: .releasing)
    var one: UInt64 = 1
    // Fails only when the counter is full, and then the thread is awake.
    _ = unsafe write(descriptor, &one, MemoryLayout.size(ofValue: one))
  }

  func begin() { pending.wrappingSubtract(1, ordering: .releasing) }

  /// Waits until `socket` is readable, or something is announced, or `end`.
  func wait(for socket: Int32, until end: ContinuousClock.Instant) {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout.size(ofValue: count))
    // What was announced before that is seen here, what is announced behind it wakes the poll.
    let rest = ContinuousClock.now.duration(to: end).wholeMilliseconds
    guard !isPending, rest > 0 else { return }
    var interests = [
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    unsafe poll(&interests, nfds_t(interests.count), Int32(clamping: rest))
  }
}
