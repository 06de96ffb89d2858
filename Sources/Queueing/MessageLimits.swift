/// How much of messages is held in memory, in bytes.
package enum MessageLimits {
  /// A batch that has reached this size takes no further message: 64 payloads of 4 KB each.
  package static let maximumBatchSize = 262_144
  /// Longer bodies from a server are truncated to this: twice the longest payload, so that a truncated body
  /// is refused as one.
  package static let maximumBodySize = 131_072
  /// Suffix of the queue that keeps in full what was truncated in another, where the broker allows it.
  package static let tooLongSuffix = "-too-long"
}
