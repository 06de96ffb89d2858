internal import Dispatch
internal import Synchronization

/// All transfers of the process, on one thread of their own: libcurl's multi interface (`libcurl-multi(3)`)
/// with an async face.
///
/// Nobody waits for the loop without a way out: a caller whose task is cancelled has its answer when the loop
/// gets to it, and the enricher, which keeps a deadline, does not wait even for that. The loop ends with this
/// value.
final class TransferLoop: Sendable {
  let inbox: Inbox

  /// - Parameter hosts: told of the time that passes, on the loop's thread.
  /// - Throws: `FetchError` if libcurl or the certificate authorities cannot be set up. What only the loop's
  ///   thread finds, such as an invalid list of name servers, fails every exchange.
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

  /// Makes one request. Ends as cancelled a moment after `exchange.end` at the latest.
  func perform(_ exchange: Exchange) async -> Exchange.Ending {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.onEnd.withLock { $0 = continuation }
        if let failure = inbox.send(.start(exchange)) { exchange.fail(failure) }
      }
    } onCancel: {
      exchange.cancellation.cancel()
    }
  }
}
