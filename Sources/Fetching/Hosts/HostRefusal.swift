internal import Supporting
internal import Synchronization

package enum HostRefusal: Error, Equatable, CustomStringConvertible {
  /// It has been down for this long, and is tried again in `pause`: zero while a probe is under way.
  case outage(for: Duration, pause: Duration)
  /// Nothing has come of the download for this long, or too little, and others need its place.
  case overdue(after: Duration)
  /// The host has all the downloads that it may have: the payload goes back to its queue.
  case busy

  package var description: String {
    switch self {
    case .outage(let duration, let pause) where pause > .zero:
      "has not answered for \(duration.secondsRoundedUp) s, or too slowly, and is tried again in \(pause.secondsRoundedUp) s"
    case .outage(let duration, _):
      "has not answered for \(duration.secondsRoundedUp) s, or too slowly, and is being tried again"
    case .overdue(let duration):
      "has not answered for \(duration.secondsRoundedUp) s, or too slowly, and others wait"
    case .busy: "has all the downloads that it may have now"
    }
  }
}

extension Duration {
  /// Rounded up, so that what is still to come is never said to be over.
  fileprivate var secondsRoundedUp: Int { (milliseconds + 999) / 1_000 }
}

/// A host that is not asked now because it did not answer, be it for a few URLs only.
package struct UnhealthyHost: Sendable, Equatable {
  package let origin: String
  package let since: ContinuousClock.Instant
  /// When one payload may ask it again; in the past while a probe is under way.
  package let nextTry: ContinuousClock.Instant
}

/// Whether a payload goes back to its queue, as a whole, because one of its media cannot be fetched now.
package final class PayloadTurn: Sendable {
  private let mayGoBack: Bool
  private let goesBack = Atomic(false)

  package init(mayGoBack: Bool) { self.mayGoBack = mayGoBack }

  package var isBack: Bool { goesBack.load(ordering: .relaxed) }

  /// - Returns: whether its queue takes it back.
  @discardableResult
  package func goBack() -> Bool {
    if mayGoBack { goesBack.store(true, ordering: .relaxed) }
    return mayGoBack
  }
}
