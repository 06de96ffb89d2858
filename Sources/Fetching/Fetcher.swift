/// A URL becomes bytes, within limits: redirects and retries around single exchanges.
package final class Fetcher: Sendable {
  let settings: FetchSettings
  private let loop: TransferLoop
  let hosts: HostGate?
  /// Reads what is to be fetched: one for all, because it goes by the URLs before.
  package let urls = URLReader()

  /// - Throws: `FetchError` when the transfer loop cannot be set up.
  package init(settings: FetchSettings) throws(FetchError) {
    self.settings = settings
    hosts = settings.hosts.map { HostGate(limits: $0) }
    loop = try TransferLoop(settings: settings, hosts: hosts)
  }

  /// Fetches `url` and hands the body of the final 2xx answer to `consumer`.
  ///
  /// What happened on the way stands in `journal`, whatever the end.
  /// - Parameters:
  ///   - end: when the answer is of no use any more; also the task's being cancelled ends the fetch.
  ///   - conditions: further lines of the request to a URL, under which its server may answer 304 instead
  ///     (RFC 9110 section 13).
  ///   - permit: for the host, from `permit`; nil if `FetchSettings.hosts` is not set.
  ///   - move: called before a redirect to another host is followed, for a permit for that.
  /// - Returns: what came of it, with status 304 where `consumer` has got nothing.
  /// - Throws: `FetchError`, the last one where there were several tries.
  package func fetch(
    _ url: RemoteURL, until end: ContinuousClock.Instant,
    under conditions: @Sendable (RemoteURL) -> [String] = { _ in [] },
    into consumer: BodyConsumer, journal: FetchJournal, permit: HostPermit? = nil,
    move: (_ next: RemoteURL) async throws(FetchError) -> HostPermit? = { _ in nil }
  ) async throws(FetchError) -> Fetched {
    // Steps are not inlined: what they need for a moment would take 3 KB of each fetch for as long as that
    // runs.
    var course = try course(to: url)
    var permit = permit
    while true {
      let cancellation = loop.cancellation()
      let transfer = permit?.begin(course.url, until: end) { cancellation.cancel() }
      let ending = await loop.perform(
        course.url, attempt: course.attempt, end: end, conditions: conditions(course.url),
        consumer: consumer, journal: journal, cancellation: cancellation, transfer: transfer)
      switch try proceed(&course, after: ending, of: transfer, until: end, journal) {
      case .done(let fetched): return fetched
      case .redirected(let isElsewhere):
        if isElsewhere, let left = permit {
          left.release()
          permit = try await move(course.url)
        }
      case .pause(let pause): try await wait(pause)
      }
    }
  }

  @inline(never)
  private func course(to url: RemoteURL) throws(FetchError) -> Course {
    try settings.check(url)
    return Course(url: url)
  }

  @inline(never)
  private func wait(_ pause: Duration) async throws(FetchError) {
    do {
      try await Task.sleep(for: pause, clock: .continuous)
    } catch {
      throw .cancelled
    }
  }

  /// Where a fetch has got to.
  private struct Course {
    var url: RemoteURL
    /// At this URL: 1 for the first try.
    var attempt = 1
    var redirects = 0
    var answers: [Fetched.Answer] = []
  }

  private enum Step {
    case done(Fetched)
    /// `isElsewhere`: to another host.
    case redirected(isElsewhere: Bool)
    /// Before the next attempt.
    case pause(Duration)
  }

  /// Decides what follows from how a request has ended.
  @inline(never)
  private func proceed(
    _ course: inout Course, after ending: Exchange.Ending, of transfer: HostTransfer?,
    until end: ContinuousClock.Instant, _ journal: FetchJournal
  ) throws(FetchError) -> Step {
    journal.append(ending.hop)
    let refusal = transfer?.end(ending.hop.error, wasRequestSent: ending.wasRequestSent)
    // A transfer that was complete before its revocation could cancel it is as good as any.
    if case .failure(.cancelled) = ending.result, let refusal {
      throw .hostUnhealthy(host: course.url.host, refusal)
    }
    switch ending.result {
    case .success(let head):
      course.answers.append(Fetched.Answer(status: head.status, reuse: head.reuse))
      guard head.isRedirect, let location = head.location else {
        journal.update { $0.phase = .done }
        return .done(Fetched(head: head, source: course.url, answers: course.answers))
      }
      course.redirects += 1
      guard course.redirects <= settings.maximumRedirects else {
        throw .redirectLimit(maximum: settings.maximumRedirects)
      }
      let previous = course.url.origin
      course.url = try redirect(from: course.url, to: location, journal)
      course.attempt = 1
      return .redirected(isElsewhere: course.url.origin != previous)
    case .failure(let error):
      guard error.isTransient, course.attempt < settings.maximumAttempts else { throw error }
      guard let pause = pause(after: course.attempt, error), .now + pause < end else { throw error }
      journal.update { $0.phase = .pausing }
      course.attempt += 1
      return .pause(pause)
    }
  }

  /// - Throws: why the redirect is not followed; where it led to is in the journal then.
  private func redirect(
    from url: RemoteURL, to location: String, _ journal: FetchJournal
  ) throws(FetchError) -> RemoteURL {
    var text = location.beginning(200)
    do throws(FetchError) {
      let next = try RemoteURL(location, relativeTo: url)
      text = journal.name(of: next)
      try settings.check(next, after: url)
      return next
    } catch {
      journal.append(Hop(url: text, attempt: 1, error: error))
      throw error
    }
  }

  /// 0.2 s doubled with each try, or what the server asked for; half of the former again at random, so that
  /// many who failed at once do not come back at once.
  /// - Returns: nil where the server asked for more than it gets.
  private func pause(after attempt: Int, _ error: FetchError) -> Duration? {
    let backoff = Duration.milliseconds(200 << (attempt - 1))
    let jitter = Duration.milliseconds(Int.random(in: 0...100 << (attempt - 1)))
    guard case .httpStatus(_, let seconds?) = error else { return backoff + jitter }
    let wish = Duration.seconds(seconds)
    return wish > settings.longestPause ? nil : max(wish, backoff) + jitter
  }
}
