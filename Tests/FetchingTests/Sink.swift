import Fetching
import Synchronization

/// Receives the body in a test. The body and the journal can be read during the fetch.
final class Sink: BodyConsumer {
  private struct State {
    var body: [UInt8] = []
    var received = 0
    var begun = 0
    var largestPiece = 0
    var left: Int
  }

  let journal: FetchJournal
  private let state: Mutex<State>
  /// Called with the length of each piece, on the thread of the transfer loop.
  private let each: @Sendable (Int) -> Void
  private let isKept: Bool
  private let hasEnd: Bool
  let contentCoding: String? = nil
  let maximumBytes: Int?

  /// - Parameters:
  ///   - limit: the number of bytes of a body that it wants. With 0 it does not even let the body
  ///     start.
  ///   - isKept: whether the bytes are kept, or only counted.
  ///   - maximum: overrides the limit of the settings.
  ///   - showsEnd: whether the bytes themselves show that they are complete.
  ///   - recordsPaths: whether the hops in the journal have paths, or only origins.
  ///   - each: called with the length of each piece, on the thread of the transfer loop.
  init(
    limit: Int = .max, isKept: Bool = true, maximum: Int? = nil, showsEnd: Bool = false,
    recordsPaths: Bool = true, each: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    journal = FetchJournal(recordsPaths: recordsPaths)
    state = Mutex(State(left: limit))
    self.each = each
    self.isKept = isKept
    maximumBytes = maximum
    hasEnd = showsEnd
  }

  var body: [UInt8] { state.withLock { $0.body } }
  var received: Int { state.withLock { $0.received } }
  var begun: Int { state.withLock { $0.begun } }
  var largestPiece: Int { state.withLock { $0.largestPiece } }

  func begin(_ head: ResponseHead) -> BodyDecision {
    state.withLock { state in
      state.begun += 1
      state.body = []
      state.received = 0
      return state.left > 0 ? .more : .stop
    }
  }

  func receive(_ piece: Span<UInt8>) -> BodyDecision {
    each(piece.count)
    return state.withLock { state in
      state.largestPiece = max(state.largestPiece, piece.count)
      state.received += piece.count
      if isKept { for index in piece.indices { state.body.append(piece[index]) } }
      return state.received < state.left ? .more : .stop
    }
  }

  func showsEnd() -> Bool { hasEnd }
}

/// Waits until `condition` is true, for a minute at most, and returns whether it is.
func eventually(_ condition: () async -> Bool) async -> Bool {
  for _ in 0..<6_000 {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return await condition()
}
