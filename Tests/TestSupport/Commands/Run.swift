/// A process that has ended.
package struct Run: Equatable, Sendable {
  /// How it ended.
  package enum Termination: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  package var standardOutput: [UInt8]
  /// Bytes that are not UTF-8 become U+FFFD.
  package var standardError: String
  package var termination: Termination
  /// The time from before it was started until it was reaped.
  package var duration: Duration
  /// The highest RssAnon in bytes that was sampled from outside; nil without samples. A peak
  /// between two samples is missed.
  package var peakPrivateBytes: Int?

  /// The exit status; nil if a signal ended it.
  package var exitStatus: Int32? {
    if case .exited(let status) = termination { status } else { nil }
  }

  /// Standard output as text.
  package var output: String { String(decoding: standardOutput, as: UTF8.self) }
}
