internal import Synchronization

/// Whether a payload can go back to its queue instead of waiting for its hosts. It can until one of several
/// media has begun: what is fetched already would be fetched again. With a single medium nothing is lost.
package final class PayloadTurn: Sendable {
  private enum State { case open, begun, back }

  private let state: Mutex<State>
  private let isSingle: Bool

  /// - Parameters:
  ///   - media: how many the payload has.
  ///   - mayGoBack: whether its queue takes it back.
  package init(media: Int, mayGoBack: Bool) {
    isSingle = media == 1
    state = Mutex(mayGoBack ? .open : .begun)
  }

  /// Whether it goes back.
  package var isBack: Bool { state.withLock { $0 == .back } }

  /// Sends the payload back, unless it is too late for that.
  /// - Returns: whether it goes back.
  func goBack() -> Bool {
    state.withLock { state in
      if state == .open { state = .back }
      return state == .back
    }
  }

  /// One of its media begins.
  /// - Returns: false if the payload goes back.
  func begin() -> Bool {
    state.withLock { state in
      if state == .open, !isSingle { state = .begun }
      return state != .back
    }
  }
}
