/// A URL becomes bytes, within limits: redirects and retries around single exchanges.
package final class Fetcher: Sendable {
  let settings: FetchSettings
  private let loop: TransferLoop
  let hosts: HostGate?

  /// - Throws: `FetchError` when the transfer loop cannot be set up.
  package init(settings: FetchSettings) throws(FetchError) {
    self.settings = settings
    hosts = settings.hosts.map { HostGate(limits: $0) }
    loop = try TransferLoop(settings: settings, hosts: hosts)
  }

  /// Fetches `text` and hands the body of the final 2xx answer to `consumer`.
  ///
  /// What happened on the way stands in `journal`, whatever the end.
  /// - Parameters:
  ///   - end: when the answer is of no use any more; also the task's being cancelled ends the fetch.
  ///   - conditions: further lines of the request to a URL, under which its server may answer 304 instead (RFC 9110 section 13).
  ///   - permit: for the host, from `permit`; nil where `FetchSettings.hosts` is not set.
  /// - Returns: what came of it, with status 304 where `consumer` has got nothing.
  /// - Throws: `FetchError`, the last one where there were several tries.
  package func fetch(
    _ text: String, until end: ContinuousClock.Instant,
    under conditions: @Sendable (RemoteURL) -> [String] = { _ in [] },
    into consumer: BodyConsumer, journal: FetchJournal, permit: HostPermit? = nil
  ) async throws(FetchError) -> Fetched {
    var url = try RemoteURL(text)
    try settings.check(url)
    var redirects = 0
    var attempt = 1
    var answers: [Fetched.Answer] = []
    while true {
      let transfer = try begin(url, attempt, permit, journal)
      let ending = await loop.perform(
        url, attempt: attempt, end: end, conditions: conditions(url), consumer: consumer, journal: journal,
        transfer: transfer)
      journal.update { $0.hops.append(ending.hop) }
      let refusal = transfer?.end(ending.hop.error, wasRequestSent: ending.wasRequestSent)
      // A transfer that was complete before its revocation could cancel it is as good as any.
      if case .failure(.cancelled) = ending.result, let refusal {
        throw .hostUnhealthy(host: url.host, refusal)
      }
      switch ending.result {
      case .success(let head):
        answers.append(Fetched.Answer(status: head.status, reuseFields: head.reuseFields))
        guard head.isRedirect, let location = head.location else {
          journal.update { $0.phase = .done }
          return Fetched(head: head, source: url, answers: answers)
        }
        redirects += 1
        guard redirects <= settings.maximumRedirects else {
          throw .redirectLimit(maximum: settings.maximumRedirects)
        }
        url = try redirect(from: url, to: location, journal)
        attempt = 1
      case .failure(let error):
        guard error.isTransient, attempt < settings.maximumAttempts else { throw error }
        guard let pause = pause(after: attempt, error), .now + pause < end else { throw error }
        journal.update { $0.phase = .pausing }
        do {
          try await Task.sleep(for: pause, clock: .continuous)
        } catch {
          throw .cancelled
        }
        attempt += 1
      }
    }
  }

  /// - Throws: `FetchError.hostUnhealthy`; the journal has it then.
  private func begin(
    _ url: RemoteURL, _ attempt: Int, _ permit: HostPermit?, _ journal: FetchJournal
  ) throws(FetchError) -> HostTransfer? {
    do throws(FetchError) {
      return try permit?.begin(url)
    } catch {
      journal.update { $0.hops.append(Hop(url: url.beginning, attempt: attempt, error: error)) }
      throw error
    }
  }

  /// - Throws: why the redirect is not followed; where it led to is in the journal then.
  private func redirect(
    from url: RemoteURL, to location: String, _ journal: FetchJournal
  ) throws(FetchError) -> RemoteURL {
    var text = location.beginning(200)
    do throws(FetchError) {
      let next = try RemoteURL(location, relativeTo: url)
      text = next.beginning
      try settings.check(next)
      return next
    } catch {
      journal.update { $0.hops.append(Hop(url: text, attempt: 1, error: error)) }
      throw error
    }
  }

  /// 0.2 s doubled with each try, or what the server asked for; half of the former again at random, so that many who failed at once do not
  /// come back at once.
  /// - Returns: nil where the server asked for more than it gets.
  private func pause(after attempt: Int, _ error: FetchError) -> Duration? {
    let backoff = Duration.milliseconds(200 << (attempt - 1))
    let jitter = Duration.milliseconds(Int.random(in: 0...100 << (attempt - 1)))
    guard case .httpStatus(_, let seconds?) = error else { return backoff + jitter }
    let wish = Duration.seconds(seconds)
    return wish > settings.longestPause ? nil : max(wish, backoff) + jitter
  }
}
