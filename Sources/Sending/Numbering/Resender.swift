internal import PushQueueing
package import Queueing
internal import Supporting

/// Resends pushes that devices have missed, and forgets those that nobody can ask for any more. Several
/// processes may do so with the same push queue.
package struct Resender: Sendable {
  /// How many pushes to send at once.
  private static let maximumBatch = 64
  private static let pause = Duration.seconds(1)
  private static let tidyingPause = Duration.seconds(10)

  private let sink: APNsSink
  private let numbering: PushNumbering
  /// Called with an error, or with nil when all works again.
  private let note: @Sendable (QueueError?) -> Void

  package init(
    to sink: APNsSink, with numbering: PushNumbering, noting note: @escaping @Sendable (QueueError?) -> Void
  ) {
    (self.sink, self.numbering, self.note) = (sink, numbering, note)
  }

  /// Runs until its task is cancelled. Pushes that are under way at that time are sent again later.
  package func run() async {
    var nextTidying = MonotonicTime.now
    while !Task.isCancelled {
      do throws(QueueError) {
        let pushes = try await numbering.queue.takeAsked(Self.maximumBatch, at: WallClock.milliseconds)
        if !pushes.isEmpty { try await sink.sendAgain(pushes, with: numbering) }
        var hasMore = pushes.count >= Self.maximumBatch
        if MonotonicTime.now >= nextTidying {
          if try await numbering.queue.tidy(at: WallClock.milliseconds) {
            hasMore = true
          } else {
            nextTidying = MonotonicTime.now + Self.tidyingPause
          }
        }
        note(nil)
        if hasMore { continue }
      } catch {
        note(error)
      }
      try? await Task.sleep(for: Self.pause)
    }
  }
}
