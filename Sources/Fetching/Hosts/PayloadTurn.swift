internal import Synchronization

/// Whether a payload goes back to its queue, as a whole, because one of its media cannot be fetched now.
package final class PayloadTurn: Sendable {
  private let mayGoBack: Bool
  private let goesBack = Atomic(false)

  /// - Parameter mayGoBack: whether its queue takes it back.
  package init(mayGoBack: Bool) { self.mayGoBack = mayGoBack }

  package var isBack: Bool { goesBack.load(ordering: .relaxed) }

  /// Sends the payload back.
  /// - Returns: whether its queue takes it back.
  @discardableResult
  package func goBack() -> Bool {
    if mayGoBack { goesBack.store(true, ordering: .relaxed) }
    return mayGoBack
  }
}
