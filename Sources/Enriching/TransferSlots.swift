internal import Supporting
internal import Synchronization

/// A counting semaphore of transfers: as many at once as the memory and the concurrency allow, first come,
/// first served.
final class TransferSlots: Sendable {
  /// Transfers at once.
  let count: Int
  /// Why there will never be a slot; nil if there is at least one.
  let lack: Failure?
  /// Slots that are reserved for payloads still to come.
  let ahead = Atomic(0)
  private let state: Mutex<State>

  private struct State {
    var free: Int
    var waiting: [Waiter<Bool>] = []
  }

  /// - Parameters:
  ///   - count: transfers at once.
  ///   - memory: what `count` was planned for, in bytes.
  init(_ count: Int, memory: Int = .max) {
    self.count = count
    lack = count > 0 ? nil : Failure(.memoryExceeded, "\(memory) bytes leave no room for a single transfer")
    state = Mutex(State(free: count))
  }

  /// Slots that payloads hold.
  var inUse: Int { max(0, count - free - ahead.load(ordering: .relaxed)) }

  /// Slots that nobody holds.
  var free: Int { state.withLock { $0.free } }

  /// Waits for a slot.
  /// - Parameters:
  ///   - isAhead: whether it is for a payload that is still to come.
  ///   - mayGoBack: whether the queue of the payload takes it back if it cannot start.
  /// - Throws: `Failure` with `memory-exceeded` if there will never be one; with `deadline-exceeded` if the
  ///   task was cancelled while it waited.
  func reserve(ahead isAhead: Bool = false, mayGoBack: Bool = false) async throws(Failure) -> SlotReservation
  {
    if let lack { throw lack }
    guard await acquire() else { throw Failure(.deadlineExceeded, "there was no room in memory before it") }
    return SlotReservation(of: self, ahead: isAhead, mayGoBack: mayGoBack)
  }

  /// Takes up to `count` slots without waiting.
  /// - Returns: how many were free.
  func takeFree(_ count: Int) -> Int {
    state.withLock { state in
      let taken = max(0, min(count, state.free))
      state.free -= taken
      return taken
    }
  }

  func giveBack(_ count: Int) {
    for _ in 0..<count { release() }
  }

  /// - Returns: false if the task was cancelled while it waited.
  private func acquire() async -> Bool {
    let waiter = state.withLock { state -> Waiter<Bool>? in
      guard state.free == 0 else {
        state.free -= 1
        return nil
      }
      let waiter = Waiter<Bool>()
      state.waiting.append(waiter)
      return waiter
    }
    guard let waiter else { return true }
    return await waiter.wait(cancelled: false) {
      state.withLock { state in
        state.waiting.firstIndex { $0 === waiter }.map { state.waiting.remove(at: $0) }
      }
    }
  }

  private func release() {
    let next = state.withLock { state -> Waiter<Bool>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume(returning: true)
  }
}
