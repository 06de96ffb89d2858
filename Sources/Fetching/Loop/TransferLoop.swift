internal import Dispatch
internal import Synchronization

/// All transfers of the process, on one thread of their own: libcurl's multi interface (`libcurl-multi(3)`)
/// with an async face.
///
/// Nobody waits for the loop without a way out: a caller whose task is cancelled has its answer when the loop
/// gets to it, and the enricher, which has a deadline to keep, does not wait for that either. The loop ends
/// when this value goes away.
final class TransferLoop: Sendable {
  private let inbox: Inbox
  private let lastID = Atomic<UInt64>(0)

  /// - Parameter hosts: told of the time that passes, on the loop's thread.
  /// - Throws: `FetchError` when libcurl or the certificate authorities cannot be set up. With what only the
  ///   loop's thread finds, such as an invalid list of name servers, every exchange fails.
  init(settings: FetchSettings, hosts: HostGate? = nil) throws(FetchError) {
    if let failure = LibcurlSetup.failure { throw failure }
    let inbox = try Inbox()
    let authorities = try CertificateAuthorities(adding: settings.certificateFile)
    self.inbox = inbox
    DispatchQueue(label: "push-enricher.transfers").async {
      do throws(FetchError) {
        try TransferEngine(
          inbox: inbox, settings: settings, authorities: authorities, hosts: hosts
        ).run()
      } catch {
        inbox.close(error)
        for case .start(let exchange) in inbox.take().messages { exchange.fail(error) }
      }
    }
  }

  deinit { inbox.close(.cancelled) }

  /// What ends the exchange of one `perform`.
  func cancellation() -> Exchange.Cancellation {
    Exchange.Cancellation(of: lastID.add(1, ordering: .relaxed).newValue, in: inbox)
  }

  /// Makes one request. Ends as cancelled a moment after `end`, at the latest.
  func perform(
    _ url: RemoteURL, attempt: Int, end: ContinuousClock.Instant, conditions: [String],
    consumer: BodyConsumer, journal: FetchJournal, cancellation: Exchange.Cancellation,
    transfer: HostTransfer?
  ) async -> Exchange.Ending {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let exchange = Exchange(
          url: url, attempt: attempt, end: end, conditions: conditions, consumer: consumer, journal: journal,
          cancellation: cancellation, transfer: transfer, finish: { continuation.resume(returning: $0) })
        if let failure = inbox.send(.start(exchange)) { exchange.fail(failure) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
