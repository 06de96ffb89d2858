internal import CLinux
internal import Glibc
internal import Synchronization

/// Messages from other threads to a loop that waits for sockets. A message wakes the loop.
package final class Mailbox<Message: Sendable, End: Sendable>: Sendable {
  /// An `eventfd(2)`, readable while there are messages.
  package let descriptor: Int32
  private let state = Mutex((messages: [Message](), end: End?.none))

  /// - Throws: if the process cannot open any more files.
  package init() throws(NoDescriptor) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw NoDescriptor() }
  }

  deinit { Glibc.close(descriptor) }

  /// - Returns: nil, or what the mailbox was closed with. In that case, the message is dropped.
  @discardableResult
  package func send(_ message: Message) -> End? {
    let (isFirst, end) = state.withLock { state in
      if state.end == nil { state.messages.append(message) }
      return (state.messages.count == 1, state.end)
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
    state.withLock { $0.end = $0.end ?? end }
    wake()
  }

  package func take() -> (messages: [Message], isClosed: Bool) {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
    return state.withLock { state in
      defer { state.messages = [] }
      return (state.messages, state.end != nil)
    }
  }

  /// The write fails only if the counter is full, and then the loop is awake.
  private func wake() { _ = eventfd_write(descriptor, 1) }
}
