internal import Supporting
internal import Synchronization

/// One request and its answer, as it is handed to the transfer loop. A class, because it is handed on several
/// times, and has two hundred bytes.
final class Exchange: Sendable, Identifiable {
  var id: UInt64 { cancellation.id }
  let url: RemoteURL
  let attempt: Int
  /// When it is of no use any more.
  let end: ContinuousClock.Instant
  /// Further lines of the request (RFC 9110 section 13), which allow the server to answer 304; empty for
  /// none.
  let conditions: [String]
  let consumer: BodyConsumer
  let journal: FetchJournal
  let cancellation: Cancellation
  /// Told how it goes; nil where `FetchSettings.hosts` is not set.
  let transfer: HostTransfer?
  /// Called once: on the loop's thread, or on that of whoever asks once the loop has ended.
  let finish: @Sendable (Ending) -> Void

  init(
    url: RemoteURL, attempt: Int, end: ContinuousClock.Instant, conditions: [String], consumer: BodyConsumer,
    journal: FetchJournal, cancellation: Cancellation, transfer: HostTransfer?,
    finish: @escaping @Sendable (Ending) -> Void
  ) {
    self.url = url
    self.attempt = attempt
    self.end = end
    self.conditions = conditions
    self.consumer = consumer
    self.journal = journal
    self.cancellation = cancellation
    self.transfer = transfer
    self.finish = finish
  }

  /// When it ends by itself. The caller cancels it at `end`, a second before, so that the two do not race:
  /// otherwise a medium that is late could count as failed, and the others be attached.
  var cutoff: ContinuousClock.Instant { end + .seconds(1) }

  /// A class, because the caller holds it in a frame on the heap.
  final class Ending: Sendable {
    let result: Result<ResponseHead, FetchError>
    let hop: Hop
    /// Whether the server had accepted the connection, and the request was sent.
    let wasRequestSent: Bool

    init(result: Result<ResponseHead, FetchError>, hop: Hop, wasRequestSent: Bool = false) {
      self.result = result
      self.hop = hop
      self.wasRequestSent = wasRequestSent
    }
  }

  /// Ends an exchange before it is complete, be it before the loop has heard of it.
  final class Cancellation: Sendable {
    let id: UInt64
    private let inbox: Inbox
    private let flag = Atomic(false)

    init(of id: UInt64, in inbox: Inbox) {
      self.id = id
      self.inbox = inbox
    }

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func cancel() {
      // Before the loop is told, so that it cannot overtake its exchange.
      flag.store(true, ordering: .releasing)
      _ = inbox.send(.cancel(id))
    }
  }

  /// Ends it without a request having been made.
  /// - Parameter started: when it began, where it took some time.
  func fail(_ error: FetchError, since started: ContinuousClock.Instant? = nil) {
    var hop = Hop(url: journal.name(of: url), attempt: attempt, error: error)
    if let started { hop.timings.total = started.duration(to: .now).microseconds }
    finish(Ending(result: .failure(error), hop: hop))
  }
}
