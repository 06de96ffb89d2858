internal import CLinux
internal import Glibc
internal import Synchronization

/// Messages from other threads to the transfer loop. A message wakes the loop.
final class Inbox: Sendable {
  enum Message: Sendable {
    case start(Exchange)
    case cancel(Exchange.ID)
  }

  /// An `eventfd(2)`, readable while there are messages.
  let descriptor: Int32
  private let state = Mutex((messages: [Message](), end: FetchError?.none))

  init() throws(FetchError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw .noDescriptor }
  }

  deinit { Glibc.close(descriptor) }

  func send(_ message: Message) {
    let (isFirst, end) = state.withLock { state in
      if state.end == nil { state.messages.append(message) }
      return (state.messages.count == 1, state.end)
    }
    // If other messages are waiting, the sender of the first one wakes the loop.
    if isFirst { wake() }
    if let end, case .start(let exchange) = message { exchange.fail(end) }
  }

  func close(_ end: FetchError) {
    state.withLock { $0.end = $0.end ?? end }
    wake()
  }

  func take() -> (messages: [Message], isClosed: Bool) {
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
