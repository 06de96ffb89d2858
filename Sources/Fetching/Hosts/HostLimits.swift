/// How hosts share the transfers of a process, and when one that does not answer is left alone for a while.
package struct HostLimits: Sendable, Equatable {
  /// Transfers of the process at once.
  package var transfers = 64
  /// How long a host may answer nothing before it counts as down; longer, up to three times, for a host whose
  /// responses have taken more than half of it.
  package var answerTimeout = Duration.seconds(5)
  /// Bytes of a body a second. One that is behind this by its host's `answerTimeout` is as good as
  /// unanswered.
  package var minimumSpeed = 16_384
  /// How long hosts may deliver nothing while requests wait for them, before those that find no room to wait
  /// are refused. Of all unproven hosts together, silent transfers make room after that time, and requests are
  /// refused after twice as long.
  package var silenceThreshold = Duration.seconds(1)
  /// Between an outage and the first probe. Doubled with each probe that fails.
  package var firstPause = Duration.seconds(1)
  package var longestPause = Duration.seconds(60)
  /// The part of a pause by which it is longer or shorter at random.
  package var jitter = 0.25
  /// URLs of one host that may hang on their own. With one more, all of the host counts as down.
  package var maximumSilentURLs = 2
  /// Failures in a row, such as refused connections, that are an outage: three payloads with all their
  /// attempts.
  package var maximumFailures = 9
  /// Hosts that are remembered: the most recently used.
  package var maximumHosts = 512
  /// Memory of the payloads that wait for permits, in bytes.
  package var waitingBytes = 150_000

  package init() {}

  /// Transfers at once to a host that has delivered nothing yet, or nothing since its last failure.
  var transfersPerUnprovenHost: Int { max(1, min(8, transfers / 8)) }

  /// Transfers at once to all such hosts together. Names cost nothing: thousands that never answer get half
  /// of what there is.
  var transfersToUnprovenHosts: Int { max(1, transfers / 2) }

  /// What a pause is multiplied by.
  func jitterFactor() -> Double { 1 + Double.random(in: -jitter...jitter) }
}
