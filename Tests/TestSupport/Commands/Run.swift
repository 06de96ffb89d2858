/// A process that came to its end.
package struct Run: Equatable, Sendable {
  /// How it ended.
  package enum Termination: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  package var standardOutput: [UInt8]
  /// Bytes that are no UTF-8 read as U+FFFD.
  package var standardError: String
  package var termination: Termination
  /// From before it was started until it was reaped.
  package var duration: Duration
  /// Bytes of the highest RssAnon that was seen from outside, where somebody looked. A peak between two looks
  /// is missed.
  package var peakPrivateBytes: Int?

  /// The exit status; nil if a signal ended it.
  package var exitStatus: Int32? {
    if case .exited(let status) = termination { status } else { nil }
  }

  /// Standard output as text.
  package var output: String { String(decoding: standardOutput, as: UTF8.self) }
}
