internal import Supporting
internal import Synchronization

/// One request and its answer, as it is handed to the transfer loop.
struct Exchange: Sendable, Identifiable {
  let id: UInt64
  let url: RemoteURL
  let attempt: Int
  /// When it is of no use any more.
  let end: ContinuousClock.Instant
  /// Further lines of the request (RFC 9110 section 13), which allow the server to answer 304; empty for none.
  let conditions: [String]
  let consumer: BodyConsumer
  let journal: FetchJournal
  let cancellation: Cancellation
  /// Told when its answer has come, and when it is given up; nil where nobody wants to know.
  let transfer: HostTransfer?
  /// Called once, on the loop's thread.
  let finish: @Sendable (Ending) -> Void

  /// When it ends by itself. Whoever waits for it cancels it before: at the same moment they would race, and what the one calls late
  /// the other would call a failed medium, and attach the rest.
  var cutoff: ContinuousClock.Instant { end + .seconds(1) }

  struct Ending: Sendable {
    let result: Result<ResponseHead, FetchError>
    let hop: Hop
    /// Whether the server had let it in, as far as to be asked.
    var isAsked = false
  }

  /// Set before the loop is told, so that a cancellation cannot overtake its exchange.
  final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set() { flag.store(true, ordering: .releasing) }
  }

  /// Ends it without a request having been made.
  /// - Parameter started: when it began, where it took some time.
  func fail(_ error: FetchError, since started: ContinuousClock.Instant? = nil) {
    var hop = Hop(url: url.beginning, attempt: attempt, error: error)
    if let started { hop.timings.total = started.duration(to: .now).microseconds }
    finish(Ending(result: .failure(error), hop: hop))
  }
}
