internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// Writes log lines to stderr on a thread of its own: a full pipe or a hanging disk stops the log
/// but never the work. Drops and counts lines that do not fit into the buffer or onto a full disk.
final class LogLines: Sendable {
  /// The bytes that may wait: some 400 lines.
  static let capacity = 65_536
  /// The milliseconds between two writes. Without a pause, a worker with 10,000 results a second
  /// wakes the thread for every few lines, which takes 4 % of its time. At 60,000 results a second,
  /// the lines of one pause fill a third of the buffer.
  private static let pause = 2

  private struct State {
    var waiting: [UInt8] = []
    var isWriting = false
    /// Whether the process is ending. If so, writes no longer pause for more lines.
    var isEnding = false
    var dropped = 0
    /// Whether only a part of the last line was written.
    var isTorn = false

    /// Records that `count` bytes of `piece` were written. Unless `noticed` is 0, `piece` ends with
    /// the notice of that many dropped lines.
    mutating func note(_ count: Int, of piece: [UInt8], noticed: Int) {
      let newline = UInt8(ascii: "\n")
      // The line feeds that end the torn line and the notice are not those of waiting lines.
      let others = (isTorn && count == 0 ? 1 : 0) + (noticed > 0 ? 1 : 0)
      if count > 0 { isTorn = piece[count - 1] != newline }
      guard count < piece.count else { return }
      dropped += noticed + piece[count...].count { $0 == newline } - others
    }
  }

  private let descriptor: Int32
  private let dropNotice: @Sendable (Int) -> [UInt8]
  private let queue = DispatchQueue(label: "push-enricher.log")
  private let state = Mutex(State())
  private let hurry = DispatchSemaphore(value: 0)

  /// - Parameter dropNotice: makes the line that says how many lines were dropped. Written once
  ///   there is room.
  init(to descriptor: Int32, dropNotice: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.dropNotice = dropNotice
  }

  /// Queues `line` and never waits. An urgent line, which may be the last, is written without a pause.
  func append(_ line: [UInt8], isUrgent: Bool = false) {
    if isUrgent { hurry.signal() }
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

  /// Waits until everything is written, but not longer than `timeout`.
  func drain(waitingUpTo timeout: Duration) {
    state.withLock { $0.isEnding = true }
    hurry.signal()
    let isDrained = DispatchSemaphore(value: 0)
    queue.async {
      self.writeAll(isLast: true)
      isDrained.signal()
    }
    _ = isDrained.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1))))
  }

  /// - Parameter isLast: whether to write the drop notice now, because no line will follow.
  private func writeAll(isLast: Bool = false) {
    var hasFailed = false
    while let (piece, noticed) = nextPiece(tellsDropped: isLast && !hasFailed) {
      let count = FileBytes.countWritten(piece, to: descriptor)
      hasFailed = count < piece.count
      let isEnding = state.withLock { state in
        state.note(count, of: piece, noticed: noticed)
        return state.isEnding
      }
      if !isEnding { _ = hurry.wait(timeout: .now() + .milliseconds(Self.pause)) }
    }
  }

  /// Returns the bytes of the next write: the end of a torn line, the waiting lines, and the notice
  /// of dropped ones. The notice waits for the next line, because more may be dropped before that.
  /// Returns nil if there is nothing to write.
  private func nextPiece(tellsDropped: Bool) -> (piece: [UInt8], noticed: Int)? {
    state.withLock { state in
      state.isWriting = !state.waiting.isEmpty
      guard state.isWriting || tellsDropped && state.dropped > 0 else { return nil }
      let notice = state.dropped > 0 ? dropNotice(state.dropped) : []
      let piece = (state.isTorn ? [UInt8(ascii: "\n")] : []) + state.waiting + notice
      // Frees the memory that the buffer took while stderr was stalled.
      state.waiting.removeAll(keepingCapacity: state.waiting.capacity <= 16_384)
      defer { state.dropped = 0 }
      return (piece, state.dropped)
    }
  }
}
