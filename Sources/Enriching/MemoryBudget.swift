internal import Synchronization

/// Admits as many transfers at once as the memory holds and the concurrency allows; the others wait their turn.
final class MemoryBudget: Sendable {
  /// Private memory of one transfer at its peak beside its receive buffer, in bytes: up to 175 KB were measured where 64 start at
  /// once over TLS and each opens an HTTP/2 connection of its own; half of that over HTTP/1.1 or a shared connection.
  static let transfer = 190_000

  /// In bytes.
  let total: Int
  private let slots: Int
  private let state: Mutex<State>

  private struct State {
    var free: Int
    var lastTicket = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  /// - Parameters:
  ///   - total: private memory that the process may have, in bytes.
  ///   - used: what it has before the first transfer, in bytes.
  ///   - buffer: what a transfer takes for receiving, in bytes.
  init(total: Int, used: Int, buffer: Int, concurrency: Int) {
    self.total = total
    slots = max(0, min(concurrency, (total - used) / (Self.transfer + buffer)))
    state = Mutex(State(free: slots))
  }

  /// Whether the process has outgrown its memory.
  var isExceeded: Bool { PrivateMemory.sample() > total }

  /// Runs `body` when there is room for a transfer.
  /// - Throws: `Failure` with `memory-exceeded` when there never will be; with `deadline-exceeded` when the task was cancelled
  ///   while it waited; what `body` throws.
  func withRoom<Value: Sendable>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard slots > 0 else {
      throw Failure(.memoryExceeded, "\(total) bytes leave no room for a single transfer")
    }
    guard await enter() else { throw Failure(.deadlineExceeded, "there was no room in memory before it") }
    defer { leave() }
    return try await body()
  }

  private func enter() async -> Bool {
    let ticket = state.withLock { state -> Int? in
      state.lastTicket += 1
      guard state.free == 0 else {
        state.free -= 1
        return nil
      }
      return state.lastTicket
    }
    guard let ticket else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append((ticket, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
      }
      waiter?.resume(returning: false)
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
      state.free += 1
      return nil
    }
    next?.resume(returning: true)
  }
}
