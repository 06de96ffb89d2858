internal import Supporting

/// Why a host is not asked.
package enum HostRefusal: Sendable, Equatable, CustomStringConvertible {
  /// It has not answered for so long, and is tried again in `pause`; while it is being tried, that is zero.
  case outage(for: Duration, pause: Duration)
  /// Nothing has come of it for so long, or too little, and others need the transfer that waits for it.
  case givenUp(after: Duration)
  /// It is silent, and no more can wait for it.
  case crowded
  /// It has never answered, like too many others that are waited for.
  case unproven

  /// A clause whose subject is the host.
  package var description: String {
    switch self {
    case .outage(let duration, let pause) where pause > .zero:
      "has not answered for \(duration.wholeSeconds) s, or too slowly, and is tried again in \(pause.wholeSeconds) s"
    case .outage(let duration, _):
      "has not answered for \(duration.wholeSeconds) s, or too slowly, and is being tried again"
    case .givenUp(let duration):
      "has not answered for \(duration.wholeSeconds) s, or too slowly, and others wait"
    case .crowded: "does not answer, or too slowly, and as many wait for it as there is memory for"
    case .unproven: "is new or slow, and too many other such hosts do not answer"
    }
  }
}

extension Duration {
  /// Rounded up, so that what is coming is never said to be there.
  fileprivate var wholeSeconds: Int { (milliseconds + 999) / 1_000 }
}
