internal import Supporting

package enum HostRefusal: Error, Equatable, CustomStringConvertible {
  /// The host has been down for this long. It is tried again in `pause`: zero during a probe.
  case outage(for: Duration, pause: Duration)
  /// Nothing or too little of the download has arrived for this long, and others need its place.
  case overdue(after: Duration)
  /// The host cannot have another download now, so the payload goes back to its queue.
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
  fileprivate var secondsRoundedUp: Int { (milliseconds + 999) / 1_000 }
}
