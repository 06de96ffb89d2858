/// What a queue is opened for, so that the broker is asked at once whether that is allowed.
package enum QueueUse: Sendable {
  /// To browse, and to count.
  case looking
  /// To publish.
  case adding
  /// To receive, settle and release.
  case taking
}
