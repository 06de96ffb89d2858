internal import Synchronization

/// Hands out turns to ask hosts for something, so that those who do not answer leave transfers to the others. `HostBook` decides; this waits,
/// and passes on what it says.
final class HostTurns: Sendable {
  private struct State {
    var book: HostBook
    var lastID: UInt64 = 0
    var waiting: [HostTurn.ID: CheckedContinuation<HostAnswer?, Never>] = [:]
    /// Answers that came before he who asked had lain down to wait.
    var early: [HostTurn.ID: HostAnswer] = [:]
    var cancellations: [HostBook.TransferID: @Sendable () -> Void] = [:]
    var givenUp: [HostBook.TransferID: HostRefusal] = [:]
    var takers: [CheckedContinuation<Void, Never>] = []
    /// Whether a name waits to be looked up for the first time.
    var hasNewcomers = false

    /// Whoever is taken up while others have not been begun waits behind them, with his thirty seconds running.
    var isOpen: Bool { !hasNewcomers && book.isOpen(at: .now) }

    mutating func nextID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  private let state: Mutex<State>

  init(limits: HostLimits) { state = Mutex(State(book: HostBook(limits: limits))) }

  /// Waits until it is the turn of `request`.
  /// - Parameter onWait: called before it waits.
  /// - Throws: `FetchError.cancelled` when the task is cancelled while it waits.
  func turn(for request: HostRequest, onWait: () -> Void) async throws(FetchError) -> HostTurn {
    let (id, answer) = change { state, news in
      let id = state.nextID()
      news = state.book.ask(request, as: id, at: .now)
      let own = news.answers.firstIndex { $0.turn == id }.map { news.answers.remove(at: $0).answer }
      return (id, own)
    }
    if let answer { return HostTurn(id, answer, of: self) }
    onWait()
    guard let answer = await wait(id) else { throw .cancelled }
    return HostTurn(id, answer, of: self)
  }

  private func wait(_ id: HostTurn.ID) async -> HostAnswer? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: HostAnswer?? = state.withLock { state in
          if let grant = state.early.removeValue(forKey: id) { return .some(grant) }
          if Task.isCancelled {
            // At once: the handler may come after somebody else has given him his turn.
            state.book.withdraw(id)
            return .some(nil)
          }
          state.waiting[id] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let continuation = change { state, _ in
        state.book.withdraw(id)
        return state.waiting.removeValue(forKey: id)
      }
      continuation?.resume(returning: nil)
    }
  }

  /// Whether there is memory for those who may have to wait, and nobody who waits to be begun.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Waits until it is so.
  func opening() async {
    await withCheckedContinuation { continuation in change { state, _ in state.takers.append(continuation) } }
  }

  func leave(_ id: HostTurn.ID) {
    change { state, news in news = state.book.leave(id, at: .now) }
  }

  func begin(_ url: RemoteURL, in turn: HostTurn.ID) throws(FetchError) -> HostTransfer {
    let origin = Origin(url)
    let (id, refusal) = state.withLock { state in
      let id = state.nextID()
      return (id, state.book.begin(id, to: origin, for: url.mark, in: turn, at: .now))
    }
    if let refusal { throw .hostUnhealthy(host: url.host, refusal) }
    return HostTransfer(id, of: self)
  }

  func watch(_ id: HostBook.TransferID, _ cancel: @escaping @Sendable () -> Void) {
    let isGivenUp = state.withLock { state in
      state.cancellations[id] = cancel
      return state.givenUp[id] != nil
    }
    if isGivenUp { cancel() }
  }

  func answer(_ id: HostBook.TransferID) {
    state.withLock { $0.book.answer(id, at: .now) }
  }

  func receive(_ id: HostBook.TransferID, _ bytes: Int) {
    change { state, news in news = state.book.receive(id, bytes, at: .now) }
  }

  func end(_ id: HostBook.TransferID, _ error: FetchError?, isAsked: Bool) -> HostRefusal? {
    change { state, news in
      state.cancellations[id] = nil
      switch error.map(\.blame) ?? .nobody {
      // Who lets in and hangs up is there, and may do so to this URL only.
      case .host where isAsked: news = state.book.hangUp(id, at: .now)
      case .host: news = state.book.end(id, isFailure: true, at: .now)
      case .unknown: news = state.book.end(id, isFailure: false, at: .now)
      case .nobody: news = state.book.complete(id, at: .now)
      }
      return state.givenUp.removeValue(forKey: id)
    }
  }

  /// Whether `look` is to be called a few times a second.
  var isWaited: Bool { state.withLock { $0.book.isWaited || !$0.takers.isEmpty } }

  /// Looks at the time. Called on the transfer loop, once it has heard all that has come: while it hangs, nobody is silent.
  /// - Parameter hasNewcomers: whether a name waits to be looked up for the first time.
  func look(hasNewcomers: Bool) {
    let now = ContinuousClock.now
    change { state, news in
      state.hasNewcomers = hasNewcomers
      if state.book.isDue(at: now) { news = state.book.look(at: now) }
    }
  }

  /// Those that are not asked now.
  var unhealthy: [UnhealthyHost] { state.withLock { $0.book.unhealthy } }

  /// Changes something, and tells everybody what came of it once the lock is open again.
  private func change<Value>(_ body: (inout State, inout HostBook.News) -> sending Value) -> Value {
    let (value, tell) = state.withLock { state in
      var news = HostBook.News()
      let value = body(&state, &news)
      return (value, Self.deliver(news, &state))
    }
    for action in tell { action() }
    return value
  }

  private static func deliver(_ news: HostBook.News, _ state: inout State) -> [@Sendable () -> Void] {
    var actions: [@Sendable () -> Void] = []
    for (id, answer) in news.answers {
      if let continuation = state.waiting.removeValue(forKey: id) {
        actions.append { continuation.resume(returning: answer) }
      } else {
        state.early[id] = answer
      }
    }
    for (id, refusal) in news.givenUp {
      state.givenUp[id] = refusal
      if let cancel = state.cancellations[id] { actions.append(cancel) }
    }
    if !state.takers.isEmpty, state.isOpen {
      for taker in state.takers { actions.append { taker.resume() } }
      state.takers = []
    }
    return actions
  }
}
