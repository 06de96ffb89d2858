internal import CCurl
internal import Dispatch
internal import Glibc
internal import Supporting
internal import Synchronization

/// The async interface to all transfers, which run on one thread. The thread ends with this object.
final class TransferLoop: Sendable {
  let inbox: Inbox

  /// - Throws: `FetchError`. An invalid list of name servers fails every exchange instead.
  init(settings: FetchSettings, hosts: Admission? = nil) throws(FetchError) {
    if let failure = LibcurlSetup.failure { throw failure }
    let inbox: Inbox
    do throws(NoDescriptor) { inbox = try Inbox() } catch { throw .noDescriptor }
    let authorities = try CertificateAuthorities(adding: settings.certificateFile)
    self.inbox = inbox
    DispatchQueue(label: "push-enricher.transfers").async {
      do throws(FetchError) {
        try TransferEngine(inbox: inbox, settings: settings, authorities: authorities, hosts: hosts).run()
      } catch {
        inbox.close(error)
        for case .start(let exchange) in inbox.take().messages { exchange.fail(error) }
      }
    }
  }

  deinit { inbox.close(.cancelled) }

  func perform(_ exchange: Exchange) async -> Exchange.Ending {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.onEnd.withLock { $0 = continuation }
        if let end = inbox.send(.start(exchange)) { exchange.fail(end) }
      }
    } onCancel: {
      exchange.cancellation.cancel()
    }
  }
}

package enum LibcurlSetup {
  /// Call this while there is only one thread: others may read the locale (`setlocale(3)`).
  package static func prepare() { _ = failure }

  package static let failure: FetchError? = {
    // libcurl reads international host names only in a UTF-8 locale. Swift programs start in "C".
    guard unsafe setlocale(LC_CTYPE, "C.UTF-8") != nil else {
      return .resourcesExhausted(detail: "this system has no locale C.UTF-8")
    }
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return .libcurlDidNotStart }
    _ = HTTP2Frames.areSeen
    return nil
  }()
}
