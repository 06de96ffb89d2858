internal import CLinux
internal import Synchronization

/// Admits as many transfers at once as the memory holds and the concurrency allows; the others wait their turn.
final class MemoryBudget: Sendable {
  /// Bytes of all transfers between two looks at the process's memory: a look takes as long as writing them.
  private static let lookInterval = 262_144

  /// In bytes.
  let total: Int
  let slots: Int
  private let state: Mutex<State>
  private let tidyings = Atomic(0)
  /// Bytes that have come in since the last look at the process's memory. The first one is looked at.
  private let unseen = Atomic(lookInterval)

  private struct State {
    var free: Int
    var lastTicket = 0
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  /// - Parameters:
  ///   - total: private memory that the process may have, in bytes.
  ///   - slots: transfers at once.
  init(total: Int, slots: Int) {
    self.total = total
    self.slots = slots
    state = Mutex(State(free: slots))
  }

  /// Why there never will be room for a transfer; nil where there will.
  var lack: Failure? {
    slots > 0 ? nil : Failure(.memoryExceeded, "\(total) bytes leave no room for a single transfer")
  }

  /// Whether the process has outgrown its memory. What the heap has free and keeps does not count.
  var isExceeded: Bool {
    guard PrivateMemory.sample() > total else { return false }
    malloc_trim(0)
    return PrivateMemory.sample() > total
  }

  /// Called with all that comes in: whether the process has outgrown its memory, as far as that has been looked at.
  func isExceeded(after count: Int) -> Bool {
    guard unseen.add(count, ordering: .relaxed).newValue >= Self.lookInterval else { return false }
    let isExceeded = isExceeded
    // The next one is looked at too, until there is memory again.
    unseen.store(isExceeded ? Self.lookInterval : 0, ordering: .relaxed)
    return isExceeded
  }

  /// Called after each payload. Gives back to the kernel what lies free between what is in use, when memory runs short: one in eight
  /// times, because looking through the heap takes as long as a small file, and asking how much it is as long as reading a payload.
  func tidyUp() {
    let count = tidyings.wrappingAdd(1, ordering: .relaxed).oldValue
    if count % 8 == 0, PrivateMemory.sample() > total / 4 * 3 { malloc_trim(0) }
  }

  /// Waits until there is room for a transfer, after those who came before.
  /// - Throws: `Failure` with `memory-exceeded` when there never will be; with `deadline-exceeded` when the task was cancelled
  ///   while it waited.
  func room() async throws(Failure) -> Room {
    if let lack { throw lack }
    guard await enter() else { throw Failure(.deadlineExceeded, "there was no room in memory before it") }
    return Room(self)
  }

  /// Takes up to `count` slots that nobody waits for.
  /// - Returns: how many.
  func takeFree(_ count: Int) -> Int {
    state.withLock { state in
      let taken = max(0, min(count, state.free))
      state.free -= taken
      return taken
    }
  }

  /// How many slots nobody has.
  var free: Int { state.withLock { $0.free } }

  func giveBack(_ count: Int) {
    for _ in 0..<count { leave() }
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
