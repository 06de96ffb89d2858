internal import CLinux
internal import Glibc
internal import Synchronization

/// Where any thread leaves word for the transfer loop, and wakes it.
final class Inbox: Sendable {
  enum Message: Sendable {
    case start(Exchange)
    case cancel(Exchange.ID)
  }

  private struct State {
    var messages: [Message] = []
    var isClosed = false
  }

  /// An `eventfd(2)` that is readable while there is word.
  let descriptor: Int32
  private let state = Mutex(State())

  /// - Throws: `FetchError.resourcesExhausted` when there is no descriptor left.
  init() throws(FetchError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw .resourcesExhausted(detail: "no file descriptor left") }
  }

  deinit { Glibc.close(descriptor) }

  /// - Returns: whether the loop will read it; false once the inbox is closed.
  func send(_ message: Message) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.messages.append(message) }
      return !state.isClosed
    }
    wake()
    return isOpen
  }

  func close() {
    state.withLock { $0.isClosed = true }
    wake()
  }

  /// What has come in since the last call.
  func take() -> (messages: [Message], isClosed: Bool) {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout.size(ofValue: count))
    return state.withLock { state in
      defer { state.messages = [] }
      return (state.messages, state.isClosed)
    }
  }

  private func wake() {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then the loop is awake.
    _ = unsafe write(descriptor, &one, MemoryLayout.size(ofValue: one))
  }
}
