internal import Supporting

/// Why a host is not asked.
package enum HostRefusal: Error, Equatable, CustomStringConvertible {
  /// It has been down for this long, and is tried again in `pause`: zero while a probe is under way.
  case outage(for: Duration, pause: Duration)
  /// Nothing has come of the transfer for this long, or too little, and others need its slot.
  case revoked(after: Duration)
  /// Requests wait for it in vain, and there is no memory for more of them.
  case crowded
  /// It is unproven, and requests to too many such hosts wait in vain.
  case unproven

  /// A clause whose subject is the host.
  package var description: String {
    switch self {
    case .outage(let duration, let pause) where pause > .zero:
      "has not answered for \(duration.secondsRoundedUp) s, or too slowly, and is tried again in \(pause.secondsRoundedUp) s"
    case .outage(let duration, _):
      "has not answered for \(duration.secondsRoundedUp) s, or too slowly, and is being tried again"
    case .revoked(let duration):
      "has not answered for \(duration.secondsRoundedUp) s, or too slowly, and others wait"
    case .crowded: "does not answer, or too slowly, and as many wait for it as there is memory for"
    case .unproven: "is new or slow, and too many other such hosts do not answer"
    }
  }
}

extension Duration {
  /// Rounded up, so that what is still to come is never said to be over.
  fileprivate var secondsRoundedUp: Int { (milliseconds + 999) / 1_000 }
}
