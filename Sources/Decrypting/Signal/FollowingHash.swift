internal import Dispatch
internal import Synchronization

/// What is fed while bytes stream past, and has a result at the end.
protocol StreamHash: ~Copyable, SendableMetatype {
  mutating func update(_ bytes: Span<UInt8>) throws(DecryptingError)
  mutating func finish() throws(DecryptingError) -> [UInt8]
}

extension Digest: StreamHash {}
extension MessageCode: StreamHash {}

/// A hash of pieces of a stream, computed by another thread if there is one for it, and by whoever brings them when that one falls behind.
final class FollowingHash<Hash: StreamHash & ~Copyable>: Sendable {
  private struct State: ~Copyable {
    var hash: Hash
    var failure: DecryptingError?
  }

  private let queue: DispatchQueue?
  private let waiting = Mutex<[[UInt8]]>([])
  private let state: Mutex<State>

  init(on queue: DispatchQueue?, _ hash: () throws(DecryptingError) -> sending Hash) throws(DecryptingError) {
    self.queue = queue
    state = Mutex(State(hash: try hash()))
  }

  func add(_ piece: [UInt8]) {
    let count = waiting.withLock { waiting in
      waiting.append(piece)
      return waiting.count
    }
    guard let queue, count == 1 else { return catchUp() }
    queue.async { self.catchUp() }
  }

  /// The hash of all that was added, and of `rest`. Called once.
  func finish(_ rest: [UInt8] = []) throws(DecryptingError) -> [UInt8] {
    catchUp()
    return try state.withLock { (state) throws(DecryptingError) in
      if let failure = state.failure { throw failure }
      try state.hash.update(rest.span)
      return try state.hash.finish()
    }
  }

  private func catchUp() {
    state.withLock { state in
      while let piece = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        do throws(DecryptingError) {
          try state.hash.update(piece.span)
        } catch {
          state.failure = error
        }
      }
    }
  }
}
