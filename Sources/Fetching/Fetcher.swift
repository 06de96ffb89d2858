/// Fetches URLs within limits. Adds redirects and retries to single exchanges.
package final class Fetcher: Sendable {
  private let settings: FetchSettings
  private let loop: TransferLoop
  package let admission: Admission
  /// Parses the URLs to fetch. All fetches share it, because it remembers parts of earlier URLs.
  package let urls = URLReader()

  package init(settings: FetchSettings) throws(FetchError) {
    self.settings = settings
    admission = Admission(limits: settings.hosts, places: settings.concurrency)
    loop = try TransferLoop(settings: settings, hosts: admission)
  }

  /// Waits until the host of `url` may get a request and there is a place in memory for it.
  /// - Parameter bytes: memory that the caller takes while it waits.
  /// - Returns: nil if hosts have no shares (`FetchSettings.hosts`).
  /// - Throws: `FetchError.cancelled`; `.hostUnhealthy`, which is also in the journal, with `.busy`
  ///   if the payload goes back; the errors of `fetch` for a URL that is not allowed.
  package func permit(
    for url: RemoteURL, journal: FetchJournal, bytes: Int, turn: PayloadTurn
  ) async throws(FetchError) -> HostPermit? {
    let request = try request(for: url, bytes: bytes, turn)
    let answer = try await admission.permit(for: request) { journal.update { $0.phase = .awaitingPermit } }
    journal.update { $0.phase = .queued }
    switch answer {
    case .success(let permit): return settings.hosts == nil ? nil : permit
    case .failure(let refusal): throw note(refusal, of: url, journal)
    }
  }

  @inline(never)
  private func request(for url: RemoteURL, bytes: Int, _ turn: PayloadTurn) throws(FetchError)
    -> PermitRequest
  {
    try settings.check(url)
    return PermitRequest(url, bytes: bytes, turn: turn)
  }

  @inline(never)
  private func note(_ refusal: HostRefusal, of url: RemoteURL, _ journal: FetchJournal) -> FetchError {
    let error = FetchError.hostUnhealthy(host: url.host, refusal)
    journal.append(Hop(url: journal.name(of: url), attempt: 1, error: error))
    return error
  }

  /// Fetches `url` and passes the body of the final 2xx response to `consumer`. A 304 has no body.
  /// Its frame stays in memory throughout the fetch, so the code between two waits is not inlined
  /// (`TaskPool`).
  /// - Parameters:
  ///   - end: when the response is no longer of any use. Cancelling the task also ends the fetch.
  ///   - conditions: header lines that allow a URL's server to answer 304 (RFC 9110 section 13).
  ///   - move: called to get another permit before a redirect to another host is followed.
  package func fetch(
    _ url: RemoteURL, until end: ContinuousClock.Instant,
    under conditions: @Sendable (RemoteURL) -> [String] = { _ in [] },
    into consumer: any BodyConsumer, journal: FetchJournal, permit: HostPermit? = nil,
    move: (_ next: RemoteURL) async throws(FetchError) -> HostPermit? = { _ in nil }
  ) async throws(FetchError) -> Fetched {
    try settings.check(url)
    var (course, permit) = (Course(url: url), permit)
    while true {
      let exchange = exchange(course, until: end, conditions, consumer, journal, permit)
      let ending = await loop.perform(exchange)
      switch try proceed(&course, after: ending, of: exchange, under: permit) {
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

  private struct Course {
    var url: RemoteURL
    var attempt = 1
    var redirects = 0
    var retries = 0
    var setsCookie = false
    var answers: [Fetched.Answer] = []
  }

  private enum Step {
    case done(Fetched)
    case redirected(isElsewhere: Bool)
    case pause(Duration)
  }

  @inline(never)
  private func exchange(
    _ course: Course, until end: ContinuousClock.Instant, _ conditions: (RemoteURL) -> [String],
    _ consumer: any BodyConsumer, _ journal: FetchJournal, _ permit: HostPermit?
  ) -> Exchange {
    let cancellation = Exchange.Cancellation(in: loop.inbox)
    return Exchange(
      url: course.url, attempt: course.attempt, end: end, conditions: conditions(course.url),
      consumer: consumer, journal: journal, cancellation: cancellation,
      gated: permit?.begin(course.url, until: end) { cancellation.cancel() })
  }

  @inline(never)
  private func wait(_ pause: Duration) async throws(FetchError) {
    do {
      try await Task.sleep(for: pause, clock: .continuous)
    } catch {
      throw .cancelled
    }
  }

  @inline(never)
  private func proceed(
    _ course: inout Course, after ending: Exchange.Ending, of exchange: Exchange, under permit: HostPermit?
  ) throws(FetchError) -> Step {
    let journal = exchange.journal
    journal.append(ending.hop)
    // If this is the final response, the permit is released together with the transfer.
    let isLast = ending.hop.error == nil && !ending.head.isRedirect
    let refusal = exchange.gated?.end(
      ending.hop.error, wasRequestSent: ending.wasRequestSent, releasing: isLast ? permit : nil)
    if let error = ending.hop.error {
      // A transfer that completed before its revocation could cancel it still counts.
      if error == .cancelled, let refusal { throw .hostUnhealthy(host: course.url.host, refusal) }
      guard error.isTransient, course.retries < settings.maximumAttempts - 1,
        let pause = pause(after: course.attempt, error), .now + pause < exchange.end
      else { throw error }
      journal.update { $0.phase = .pausing }
      course.attempt += 1
      course.retries += 1
      return .pause(pause)
    }
    let head = ending.head
    course.answers.append(Fetched.Answer(status: head.status, reuse: head.reuse))
    guard head.isRedirect, let location = head.location else {
      journal.update { $0.phase = .done }
      return .done(Fetched(head: head, source: course.url, answers: course.answers))
    }
    course.redirects += 1
    course.setsCookie = course.setsCookie || head.setsCookie
    guard course.redirects <= settings.maximumRedirects else {
      throw isCookieLoop(course, to: location, journal)
        ? .redirectNeedsCookie : .redirectLimit(maximum: settings.maximumRedirects)
    }
    let previous = course.url.origin
    course.url = try redirect(from: course.url, to: location, journal)
    course.attempt = 1
    return .redirected(isElsewhere: course.url.origin != previous)
  }

  /// Whether the redirects have led to `location` before, and a cookie would have changed that.
  private func isCookieLoop(_ course: Course, to location: String, _ journal: FetchJournal) -> Bool {
    guard course.setsCookie, let next = try? RemoteURL(location, relativeTo: course.url) else { return false }
    let name = journal.name(of: next)
    return journal.snapshot.hops.contains { $0.url == name }
  }

  /// - Throws: why the redirect is not followed. The journal then records where it led.
  private func redirect(
    from url: RemoteURL, to location: String, _ journal: FetchJournal
  ) throws(FetchError) -> RemoteURL {
    var text = journal.name(ofRefused: location)
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

  /// Returns 0.2 s, doubled with each attempt, or what the server asked for if that is longer. Adds
  /// random jitter, so that requests that failed together do not return together. Returns nil if
  /// the server asked for more than `FetchSettings.longestPause`.
  private func pause(after attempt: Int, _ error: FetchError) -> Duration? {
    let backoff = Duration.milliseconds(200 << (attempt - 1))
    let jitter = Duration.milliseconds(Int.random(in: 0...100 << (attempt - 1)))
    guard case .httpStatus(_, let seconds?) = error else { return backoff + jitter }
    let wish = Duration.seconds(seconds)
    return wish > settings.longestPause ? nil : max(wish, backoff) + jitter
  }
}
