internal import Supporting
internal import Synchronization

/// One request and its response. A class to save memory (`TaskPool`).
final class Exchange: Sendable, Identifiable {
  let url: RemoteURL
  let attempt: Int
  let started = ContinuousClock.now
  let end: ContinuousClock.Instant
  /// Additional header lines that allow the server to answer 304 (RFC 9110 section 13).
  let conditions: [String]
  let consumer: any BodyConsumer
  let journal: FetchJournal
  let cancellation: Cancellation
  let gated: GatedTransfer?
  let onEnd = Mutex<CheckedContinuation<Ending, Never>?>(nil)

  init(
    url: RemoteURL, attempt: Int, end: ContinuousClock.Instant, conditions: [String],
    consumer: any BodyConsumer, journal: FetchJournal, cancellation: Cancellation, gated: GatedTransfer?
  ) {
    self.url = url
    self.attempt = attempt
    self.end = end
    self.conditions = conditions
    self.consumer = consumer
    self.journal = journal
    self.cancellation = cancellation
    self.gated = gated
  }

  var id: UInt64 { cancellation.id }

  /// When the exchange ends by itself. The caller cancels it a second earlier. If the two raced, a
  /// late medium could count as failed, and the others would be attached.
  var cutoff: ContinuousClock.Instant { end + .seconds(1) }

  /// Called once: on the loop's thread, or on the caller's thread if the loop has ended.
  func finish(_ ending: Ending) { onEnd.withLock { $0.take() }?.resume(returning: ending) }

  func fail(_ error: FetchError, tookTime: Bool = false) {
    var hop = Hop(url: journal.name(of: url), attempt: attempt, error: error)
    if tookTime { hop.timings.total = started.duration(to: .now).microseconds }
    finish(Ending(hop: hop, head: ResponseHead(), wasRequestSent: false))
  }

  final class Ending: Sendable {
    let hop: Hop
    let head: ResponseHead
    let wasRequestSent: Bool

    init(hop: Hop, head: ResponseHead, wasRequestSent: Bool) {
      self.hop = hop
      self.head = head
      self.wasRequestSent = wasRequestSent
    }
  }

  /// Ends an exchange early, even before the loop has heard of it.
  final class Cancellation: Sendable {
    private static let lastID = Atomic<UInt64>(0)
    let id = lastID.add(1, ordering: .relaxed).newValue
    private let inbox: Inbox
    private let flag = Atomic(false)

    init(in inbox: Inbox) { self.inbox = inbox }
    var isSet: Bool { flag.load(ordering: .acquiring) }

    func cancel() {
      // Set before the message is sent, because the message may overtake the exchange.
      flag.store(true, ordering: .releasing)
      inbox.send(.cancel(id))
    }
  }
}
