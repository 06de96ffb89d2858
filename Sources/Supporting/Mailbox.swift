internal import CLinux
internal import Glibc
public import Synchronization

/// Messages from other threads to a loop that waits for sockets. A message wakes the loop.
///
/// Public and inlinable for the same reason as `Waiter`.
public final class Mailbox<Message: Sendable, End: Sendable>: Sendable {
  @usableFromInline struct State {
    @usableFromInline var messages: [Message] = []
    @usableFromInline var end: End?
    /// How often the loop was woken, or is about to be, without having read that.
    @usableFromInline var wakes = 0
  }

  /// An `eventfd(2)`, readable while there are messages.
  public let descriptor: Int32
  @usableFromInline let state = Mutex(State())

  /// - Throws: if the process cannot open any more files.
  package init() throws(NoDescriptor) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw NoDescriptor() }
  }

  deinit { Glibc.close(descriptor) }

  /// - Returns: nil, or what the mailbox was closed with. In that case, the message is dropped.
  @discardableResult @inlinable
  public func send(_ message: Message) -> End? {
    let (isFirst, end) = state.withLock { state in
      if state.end == nil { state.messages.append(message) }
      let isFirst = state.messages.count == 1
      if isFirst { state.wakes += 1 }
      return (isFirst, state.end)
    }
    // If other messages are waiting, the sender of the first one wakes the loop.
    if isFirst { wake() }
    return end
  }

  /// Takes back messages that the loop has not read yet.
  /// - Returns: whether there were any.
  package func withdraw(where isIt: (Message) -> Bool) -> Bool {
    state.withLock { state in
      let count = state.messages.count
      state.messages.removeAll(where: isIt)
      return state.messages.count < count
    }
  }

  /// Only the first call counts.
  package func close(_ end: End) {
    state.withLock { state in
      state.end = state.end ?? end
      state.wakes += 1
    }
    wake()
  }

  @inlinable
  public func take() -> (messages: [Message], isClosed: Bool) {
    state.withLock { state in
      // Sockets make up most turns of a loop, and then there is nothing to read.
      if state.wakes > 0 { state.wakes -= readWakes() }
      defer { state.messages = [] }
      return (state.messages, state.end != nil)
    }
  }

  /// Returns 0 if the sender has not come so far yet.
  @usableFromInline func readWakes() -> Int {
    var count: eventfd_t = 0
    return unsafe eventfd_read(descriptor, &count) == 0 ? Int(count) : 0
  }

  /// The write fails only if the counter is full, and then the loop is awake.
  @usableFromInline func wake() { _ = eventfd_write(descriptor, 1) }
}
