/// How hosts share the downloads of a process, and when a silent host is left alone for a while.
package struct HostLimits: Sendable, Equatable {
  /// The maximum number of downloads of the process at the same time.
  package var transfers = 64
  /// When an unanswered request is overdue. Twice the host's usual time applies if that is longer.
  package var answerTimeout = Duration.seconds(5)
  /// How long the speed of a body is measured before it counts.
  package var speedWindow = Duration.seconds(2)
  /// In bytes per second. A slower body of unknown length is overdue.
  package var minimumSpeed = 16_384
  /// How long other requests must wait before an overdue download makes room for them.
  package var patience = Duration.seconds(1)
  /// A host whose downloads take no longer than this is quick.
  package var quickTime = Duration.milliseconds(250)
  /// How long downloads stay reserved for quick hosts after one of them has delivered.
  package var quickMemory = Duration.seconds(10)
  /// How long a payload waits for its host before it goes back to its queue.
  package var longestWait = Duration.seconds(2)
  /// The pause between an outage and the first probe. It doubles with each failed probe.
  package var firstPause = Duration.seconds(1)
  package var longestPause = Duration.seconds(60)
  /// The fraction by which a pause is randomly longer or shorter.
  package var jitter = 0.25
  /// URLs of one host that may hang on their own. If one more hangs, the whole host is out.
  package var maximumSilentURLs = 2
  /// Failed connections in a row that count as an outage: three payloads with all their attempts.
  package var maximumFailures = 9
  /// The number of hosts that are remembered: the most recently used ones.
  package var maximumHosts = 512
  /// Memory in bytes for the payloads that wait for their hosts.
  package var waitingBytes = 150_000

  package init() {}

  /// The downloads of a host that has not delivered yet, or not since its last failure.
  var firstShare: Int { max(1, min(8, transfers / 8)) }

  /// The downloads of all unproven hosts together. Host names cost nothing, so thousands of them share half.
  var unprovenTransfers: Int { max(1, transfers / 2) }

  /// The downloads that all slow hosts have together while there are quick hosts.
  var slowTransfers: Int { max(1, transfers * 3 / 4) }

  /// The random factor for a pause.
  func jitterFactor() -> Double { 1 + Double.random(in: -jitter...jitter) }
}
