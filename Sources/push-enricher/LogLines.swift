internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// Lines for stderr, written by a thread of their own: a full pipe or a hanging disk stops the log but never
/// the work. Lines that do not fit meanwhile, or that a full disk does not take, are dropped and counted.
final class LogLines: Sendable {
  /// Bytes that may wait: some 400 lines.
  static let capacity = 65_536
  /// Milliseconds between two writes. A worker with ten thousand results a second would otherwise wake the
  /// thread for every few lines: 4 % of its time. Sixty thousand fill a third of the room meanwhile.
  private static let pause = 2

  private struct State {
    var waiting: [UInt8] = []
    var isWriting = false
    /// Whether the writes no longer wait for more.
    var isEnding = false
    var dropped = 0
    /// Whether the last line that was written has no end.
    var isTorn = false

    /// `count` bytes of `piece` were written; a notice at its end tells of `noticed` dropped lines, or is not
    /// there.
    mutating func note(_ count: Int, of piece: [UInt8], noticed: Int) {
      let newline = UInt8(ascii: "\n")
      // The end of the line before, and the notice.
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

  /// - Parameter dropNotice: the line that tells how many were dropped, once there is room again.
  init(to descriptor: Int32, dropNotice: @escaping @Sendable (Int) -> [UInt8]) {
    self.descriptor = descriptor
    self.dropNotice = dropNotice
  }

  /// Writes `line` after those before it, at once if it may be the last of the process. Never waits.
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

  /// Waits until all is written, or `timeout` is over.
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

  /// - Parameter isLast: writes the count of dropped lines now, because no line will follow.
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

  /// The bytes of one write: the end of a torn line, lines, and the notice of dropped ones. The notice waits
  /// for the next line, because more may be dropped until then. Nil if there is nothing to write.
  private func nextPiece(tellsDropped: Bool) -> (piece: [UInt8], noticed: Int)? {
    state.withLock { state in
      state.isWriting = !state.waiting.isEmpty
      guard state.isWriting || tellsDropped && state.dropped > 0 else { return nil }
      let notice = state.dropped > 0 ? dropNotice(state.dropped) : []
      let piece = (state.isTorn ? [UInt8(ascii: "\n")] : []) + state.waiting + notice
      // Gives back the room that it took while stderr was stalled.
      state.waiting.removeAll(keepingCapacity: state.waiting.capacity <= 16_384)
      defer { state.dropped = 0 }
      return (piece, state.dropped)
    }
  }
}
