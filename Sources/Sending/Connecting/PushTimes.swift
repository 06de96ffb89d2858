internal import Supporting

/// How long the parts of sending may take. Tests shorten them.
struct PushTimes: Sendable {
  var lookup = Duration.seconds(10)
  /// To one of the host's addresses.
  var connect = Duration.seconds(5)
  /// The TLS handshake with one of them.
  var handshake = Duration.seconds(10)
  /// The lookup, and all addresses together.
  var opening = Duration.seconds(30)
  /// From the request to its answer.
  var answer = Duration.seconds(30)
  /// Without a frame while streams are open, until a PING asks for one.
  var quiet = Duration.seconds(15)
  /// Until a PING is answered.
  var ping = Duration.seconds(15)
  /// Without a frame while no stream is open, until a PING.
  var idle = Duration.seconds(3_600)
  /// Between attempts to connect. Doubles from the first to the last.
  var firstPause = Duration.seconds(1)
  var lastPause = Duration.seconds(60)
  /// With every connection full, until another one is opened.
  var spread = Duration.milliseconds(100)
  /// Between attempts with credentials that were refused.
  var credentials = Duration.seconds(60)
  /// After APNs has seen too many tokens.
  var tooManyTokens = Duration.seconds(1_200)
  /// Without any answer, until the pushes that still wait are given back.
  var stall = Duration.seconds(60)
  /// From a cancellation until pushes in flight are given up.
  var cancellation = Duration.seconds(5)
}

/// Spaces pushes evenly (the generic cell rate algorithm of ITU-T I.371 annex A).
struct Pacer {
  /// The most pushes at once, as many as a connection has streams.
  private static let maximumBurst = 128
  private let interval: Duration
  /// How far a push may be early: the pushes of this time may go at once. The least is for epoll(7), which waits
  /// whole milliseconds; the most is for other work on the machine, which holds up the loop.
  private let slack: Duration
  private var next: MonotonicTime?

  /// - Parameter rate: pushes in a second.
  init(rate: Int) {
    interval = .nanoseconds(1_000_000_000 / max(1, rate))
    slack = max(
      .milliseconds(1),
      interval > .milliseconds(20) ? .zero : min(.milliseconds(20), interval * Self.maximumBurst))
  }

  /// When the next push may be sent. Nil if it may be sent now.
  func due(at now: MonotonicTime) -> MonotonicTime? {
    guard let next, next - slack > now else { return nil }
    return next - slack
  }

  mutating func note(at now: MonotonicTime) { next = max(next ?? now, now) + interval }
}

/// Pauses between attempts to connect: doubling, and each randomly longer or shorter by a quarter,
/// so that the workers of a fleet do not come back together.
struct ConnectPause {
  private let times: PushTimes
  private var longest: Duration
  /// When the next attempt may begin. Nil if it may begin now.
  private(set) var end: MonotonicTime?

  init(_ times: PushTimes) {
    self.times = times
    longest = times.firstPause
  }

  mutating func fail(at now: MonotonicTime) {
    end = now + longest * Double.random(in: 0.75...1.25)
    longest = min(longest * 2, times.lastPause)
  }

  mutating func succeed() {
    longest = times.firstPause
    end = nil
  }
}
