/// How hosts share the transfers of a process, and when one that does not answer is not asked any more.
package struct HostLimits: Sendable, Equatable {
  /// Transfers of the process at once.
  package var transfers = 64
  /// How long a host may leave all that is asked of it without an answer. More for one whose answers have taken more than half of it.
  package var patience = Duration.seconds(5)
  /// Bytes a second of a body that are not as good as silence. What is behind that by its patience is given up, or is one of a few.
  package var slowest = 16_384
  /// How long those who wait may be without an answer before no more are let into a full line.
  package var hush = Duration.seconds(1)
  /// Between an outage and the first probe. Doubled with each probe without an answer.
  package var firstPause = Duration.seconds(1)
  package var longestPause = Duration.seconds(60)
  /// The part of a pause by which it is longer or shorter at random.
  package var jitter = 0.25
  /// Of a host, that hang: with one more, all of it is in an outage.
  package var maximumSilentURLs = 2
  /// Failures in a row, such as refused connections, that are an outage: three payloads with all their tries.
  package var maximumFailures = 9
  /// Hosts that are remembered: those asked for last.
  package var maximumHosts = 512
  /// Memory of the payloads that wait for their turns, in bytes.
  package var waitingBytes = 150_000

  package init() {}

  /// Transfers at once of a host that has delivered nothing yet, or not since its last failure.
  var transfersOfUnproven: Int { max(1, min(8, transfers / 8)) }

  /// Transfers at once of all such hosts together: names cost nothing, and whoever has thousands that never answer is left half.
  var transfersOfAllUnproven: Int { max(1, transfers / 2) }
}
