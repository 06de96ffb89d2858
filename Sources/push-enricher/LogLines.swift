internal import Dispatch
internal import Glibc
internal import Synchronization

/// Lines for stderr, written by a thread of their own: a full pipe or a hanging disk stops the log but never the work.
/// Lines that do not fit meanwhile are dropped and counted.
final class LogLines: Sendable {
  /// Bytes that may wait: some 400 lines.
  static let capacity = 65_536

  private struct State {
    var waiting: [UInt8] = []
    var isWriting = false
    var dropped = 0
  }

  private let descriptor: Int32
  private let dropNotice: @Sendable (Int) -> [UInt8]
  private let queue = DispatchQueue(label: "push-enricher.log")
  private let state = Mutex(State())

  /// - Parameter dropNotice: the line that tells how many were dropped, as soon as there is room again.
  init(to descriptor: Int32, dropNotice: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.dropNotice = dropNotice
  }

  /// Has `line`, with its end, written behind those before it. Never waits.
  func append(_ line: [UInt8]) {
    let begins = state.withLock { state in
      guard state.waiting.count + line.count <= Self.capacity else {
        state.dropped += 1
        return false
      }
      state.waiting += line
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { queue.async { self.writeAll() } }
  }

  /// Waits until all is written, or `timeout` is over.
  func drain(waitingUpTo timeout: Duration) {
    let isDrained = DispatchSemaphore(value: 0)
    queue.async { isDrained.signal() }
    _ = isDrained.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1))))
  }

  private func writeAll() {
    while true {
      let piece = state.withLock { state in
        if state.dropped > 0 { state.waiting += dropNotice(state.dropped) }
        state.dropped = 0
        defer { state.waiting = [] }
        state.isWriting = !state.waiting.isEmpty
        return state.waiting
      }
      // If stderr is gone, there is nowhere to report that.
      guard !piece.isEmpty else { return }
      _ = Console.write(piece, to: descriptor)
    }
  }
}
