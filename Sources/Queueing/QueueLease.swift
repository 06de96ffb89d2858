/// How long a delivery may be worked on before its message is handed out again.
package enum QueueLease {
  /// Three times the longest deadline, so that a message whose result is slow to publish is not processed
  /// twice.
  package static let duration = Duration.seconds(90)
}
