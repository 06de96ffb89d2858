internal import Supporting

/// How long the parts of sending may take. Tests shorten them.
struct PushTimes: Sendable {
  var lookup = Duration.seconds(10)
  /// Connecting to one of the host's addresses.
  var connect = Duration.seconds(5)
  /// The TLS handshake with one of the addresses.
  var handshake = Duration.seconds(10)
  /// The lookup and all addresses together.
  var opening = Duration.seconds(30)
  /// The time from a request to its answer.
  var answer = Duration.seconds(30)
  /// How long no frame comes, while streams are open, before a PING is sent.
  var quiet = Duration.seconds(15)
  /// The time until a PING is answered.
  var ping = Duration.seconds(15)
  /// How long no frame comes, while no stream is open, before a PING is sent.
  var idle = Duration.seconds(3_600)
  /// The pause between attempts to connect. Doubles from the first to the last.
  var firstPause = Duration.seconds(1)
  var lastPause = Duration.seconds(60)
  /// How long every connection is full before another one is opened.
  var spread = Duration.milliseconds(100)
  /// The pause between attempts with credentials that were refused.
  var credentials = Duration.seconds(60)
  /// The pause after APNs has seen too many tokens.
  var tooManyTokens = Duration.seconds(1_200)
  /// How long no answer comes before the waiting pushes are given back.
  var stall = Duration.seconds(60)
  /// The time from a cancellation until pushes in flight are given up.
  var cancellation = Duration.seconds(5)
}

/// Spaces pushes evenly (the generic cell rate algorithm of ITU-T I.371 annex A).
struct Pacer {
  /// The most pushes at once: the maximum number of streams of a connection.
  private static let maximumBurst = 128
  private let interval: Duration
  /// How early a push may be. Pushes within this time may go at once. It is at least 1 ms, because epoll(7)
  /// waits in whole milliseconds, and at most 20 ms, because other work may hold up the loop for so long.
  private let slack: Duration
  private var next: MonotonicTime?

  /// - Parameter rate: pushes per second.
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

/// Pauses between attempts to connect. Each is twice as long as the one before, and randomly longer
/// or shorter by up to a quarter, so that the workers of a fleet do not come back together.
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
