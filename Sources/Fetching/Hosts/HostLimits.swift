/// How hosts share the downloads of a process, and when one that does not answer is left alone for a while.
package struct HostLimits: Sendable, Equatable {
  /// Downloads of the process at once.
  package var transfers = 64
  /// When an unanswered request is overdue; after twice the host's usual time if that is longer.
  package var answerTimeout = Duration.seconds(5)
  /// How long the speed of a body is measured before it counts.
  package var speedWindow = Duration.seconds(2)
  /// Bytes a second. A body of unknown length that is slower is overdue.
  package var minimumSpeed = 16_384
  /// How long others must wait before an overdue download makes room for them.
  package var patience = Duration.seconds(1)
  /// A host whose downloads take no longer than this is quick.
  package var quickTime = Duration.milliseconds(250)
  /// How long downloads are kept free for quick hosts after one of them has delivered.
  package var quickMemory = Duration.seconds(10)
  /// How long a payload waits for its host before it goes back to its queue.
  package var longestWait = Duration.seconds(2)
  /// Between an outage and the first probe. Doubled with each probe that fails.
  package var firstPause = Duration.seconds(1)
  package var longestPause = Duration.seconds(60)
  /// The part of a pause by which it is longer or shorter at random.
  package var jitter = 0.25
  /// URLs of one host that may hang on their own. With one more, all of the host is out.
  package var maximumSilentURLs = 2
  /// Refused connections in a row that are an outage: three payloads with all their attempts.
  package var maximumFailures = 9
  /// Hosts that are remembered: the most recently used.
  package var maximumHosts = 512
  /// Memory of the payloads that wait for their hosts, in bytes.
  package var waitingBytes = 150_000

  package init() {}

  /// Downloads at once of a host that has not delivered yet, or not since its last failure.
  var firstShare: Int { max(1, min(8, transfers / 8)) }

  /// Downloads at once of all those hosts together. Names cost nothing: thousands that never answer get half.
  var unprovenTransfers: Int { max(1, transfers / 2) }

  /// Downloads at once of all hosts that are not quick, while there are quick ones.
  var slowTransfers: Int { max(1, transfers * 3 / 4) }

  /// What a pause is multiplied by.
  func jitterFactor() -> Double { 1 + Double.random(in: -jitter...jitter) }
}
