#if DEBUG
  internal import Glibc
#endif

/// How much a push queue keeps, and how often a device may ask.
package struct PushQueueLimits: Sendable, Equatable {
  /// How many pushes of a device are kept, 1 to 1,000 (`--push-queue-keep`).
  package var keep = 100
  /// How many bytes the contents of all kept pushes may take, with 64 more for each; the oldest are dropped
  /// first (`--push-queue-size`).
  package var bytes: Int64 = 1_000_000_000

  package init() {}

  /// How many missed pushes a device may ask for at once.
  package static let missed: Int64 = 100
  /// How long a push can be asked for, at most: 7 days.
  package static let longestLife: Int64 = 604_800_000
  /// How long a push is kept if APNs tries it only once: a minute.
  package static let leastLife: Int64 = 60_000
  /// How long a push is kept after it has expired while APNs has not answered, and how many unanswered pushes
  /// of a device are kept.
  package static let unansweredLife: Int64 = 3_600_000
  package static let mostUnanswered: Int64 = 1_000
  /// How long a device is remembered after its last push, question or receipt: 30 days. After that, its
  /// next push begins a new epoch.
  package static let deviceLife: Int64 = 2_592_000_000
  /// How many times a push is sent again, and the shortest time between two of them.
  package static let resends = 3
  /// Simulations shorten it in debug builds: `PUSH_ENRICHER_RESEND_PAUSE=2000`.
  package static let resendPause: Int64 = {
    #if DEBUG
      let text = unsafe getenv("PUSH_ENRICHER_RESEND_PAUSE").map { unsafe String(cString: $0) }
      if let pause = text.flatMap(Int64.init) { return pause }
    #endif
    return 30_000
  }()
  /// How long the pushes that `takeAsked` has handed out are left alone by other callers.
  package static let resendLease = 2 * resendPause
  /// How often a device may ask: once in 2 s, and 30 times an hour. Receipts are counted separately and have
  /// only the first limit: a chat brings more than 30 pushes an hour, and each has a receipt.
  package static let askPause: Int64 = 2_000
  package static let asksPerHour = 30
  /// How many days of statistics are kept.
  package static let statisticsDays = 400
  /// How recent a device's last receipt has to be for a push without a receipt to count as lost: 2 days. A
  /// device without recent receipts may not have the app's extension.
  package static let receiptLife: Int64 = 172_800_000
}
