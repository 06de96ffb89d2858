/// A URL becomes bytes, within limits: redirects and retries around single exchanges.
package final class Fetcher: Sendable {
  private let settings: FetchSettings
  private let loop: TransferLoop

  /// - Throws: `FetchError` when the transfer loop cannot be set up.
  package init(settings: FetchSettings) throws(FetchError) {
    self.settings = settings
    loop = try TransferLoop(settings: settings)
  }

  /// Fetches `text` and hands the body of the final 2xx answer to `consumer`.
  ///
  /// What happened on the way stands in `journal`, whatever the end.
  /// - Parameters:
  ///   - end: when the answer is of no use any more; also the task's being cancelled ends the fetch.
  ///   - conditions: further lines of the request to a URL, under which its server may answer 304 instead (RFC 9110 section 13).
  /// - Returns: the head of the final answer, which is 304 where `consumer` has got nothing.
  /// - Throws: `FetchError`, the last one where there were several tries.
  package func fetch(
    _ text: String, until end: ContinuousClock.Instant,
    under conditions: @Sendable (RemoteURL) -> [String] = { _ in [] },
    into consumer: BodyConsumer, journal: FetchJournal
  ) async throws(FetchError) -> ResponseHead {
    var url = try RemoteURL(text)
    try settings.check(url)
    var redirects = 0
    var attempt = 1
    while true {
      let ending = await loop.perform(
        url, attempt: attempt, end: end, conditions: conditions(url), consumer: consumer, journal: journal)
      journal.update { $0.hops.append(ending.hop) }
      switch ending.result {
      case .success(let head):
        guard head.isRedirect, let location = head.location else {
          journal.update { $0.phase = .done }
          return head
        }
        redirects += 1
        guard redirects <= settings.maximumRedirects else {
          throw .redirectLimit(maximum: settings.maximumRedirects)
        }
        url = try redirect(from: url, to: location, journal)
        attempt = 1
      case .failure(let error):
        guard error.isTransient, attempt < settings.maximumAttempts else { throw error }
        let pause = Self.pause(after: attempt, error)
        guard .now + pause < end else { throw error }
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

  /// - Throws: why the redirect is not followed; where it led to is in the journal then.
  private func redirect(
    from url: RemoteURL, to location: String, _ journal: FetchJournal
  ) throws(FetchError) -> RemoteURL {
    var text = String(location.prefix(200))
    do throws(FetchError) {
      let next = try RemoteURL(location, relativeTo: url)
      text = next.text
      try settings.check(next)
      return next
    } catch {
      journal.update { $0.hops.append(Hop(url: text, attempt: 1, error: error)) }
      throw error
    }
  }

  /// What the server asked for, or 0.2 s doubled with each try; half of it again at random, so that many who failed at once do not
  /// come back at once.
  private static func pause(after attempt: Int, _ error: FetchError) -> Duration {
    let backoff = Duration.milliseconds(200 << (attempt - 1))
    let jitter = Duration.milliseconds(Int.random(in: 0...100 << (attempt - 1)))
    guard case .httpStatus(_, let seconds?) = error else { return backoff + jitter }
    return .seconds(seconds) + jitter
  }
}
