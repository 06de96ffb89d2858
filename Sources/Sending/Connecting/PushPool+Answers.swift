internal import Queueing
internal import Supporting

/// How the pool reacts to APNs' answers.
extension PushPool {
  func take(_ event: HTTP2Session.Event, on connection: PushConnection, at now: MonotonicTime) {
    switch event {
    case .settings: break
    case .goAway(let code, let data):
      let answer = PushAnswer(status: 500, body: data)
      connection.drain(goAway: code, reason: answer.reason)
      // For example, after a certificate was revoked.
      if answer.reason != nil, answer.kind == .credentials {
        refuse("\(target.host) ended the connection (\(answer.reason ?? ""))", at: now)
      }
    case .closed(let push, let code):
      connection.remove(push)
      // If the stream was reset, the body with the reason may be missing. The status alone would be
      // misunderstood.
      if push.status == 200 || push.status > 200 && code == 0 {
        answer(push, on: connection, at: now)
      } else if code == 7 || !push.isOpened {
        // REFUSED_STREAM (RFC 9113 section 8.7), or the request was never sent.
        if code == 7 { connection.isCareful = true }
        takeRefused(push, at: now)
      } else {
        let detail = push.isGivenUp ? "no answer came" : "the stream was reset with code \(code)"
        takeLost(push, detail, at: now)
      }
    }
  }

  private func answer(_ push: PushStream, on connection: PushConnection, at now: MonotonicTime) {
    let answer = PushAnswer(status: push.status, body: push.answer)
    let kind = answer.kind
    lastAnswer = now
    // If a host only turns pushes away, that is no success. Otherwise it would be asked again
    // without a pause.
    if ![.shutdown, .idle].contains(kind), connection.noteAnswer(accepted: kind == .sent, at: now) {
      noteSuccess()
    }
    tally.note { counts in
      counts.lastAnswer = now.instant
      counts.latency.add(microseconds: (now - push.start).microseconds)
      if kind == .sent {
        counts.sent += 1
      } else {
        counts.refused[answer.reason ?? "\(answer.status)", default: 0] += 1
      }
    }
    if ![.credentials, .forbidden, .tokenExpired, .tooManyTokens].contains(kind) {
      noteAccepted()
      topics.remove(push.request.topic)
    }
    switch kind {
    case .sent:
      if case .token(let token) = credentials, let text = push.authorization { token.accept(text) }
      acceptedKey = connection.keyVersion
      backoffs.succeed(push.request.device)
      if laterInARow > 0 {
        laterInARow = 0
        calm.succeed()
      }
      finish(push, .result(.sent))
    case .tokenDead: finishDead(push, answer)
    case .tokenWrong, .rejected: finish(push, .result(.rejected(answer.rejection(push.request))))
    case .deviceTooFast: putOff(push, later(answer.detail(push.request), push, at: now))
    case .later:
      laterInARow += 1
      if laterInARow >= 20, calm.end.map({ $0 <= now }) ?? true { calm.fail(at: now) }
      putOff(push, later(answer.detail(push.request), push, at: now))
    case .shutdown:
      connection.drain(.goAway, answer.detail(push.request))
      takeRefused(push, answer.detail(push.request), at: now)
    case .idle:
      connection.drain(.goAway, answer.detail(push.request))
      takeRefused(push, at: now)
    case .tokenExpired, .credentials:
      connection.drain(.replaced, answer.detail(push.request))
      let isExpired = kind == .tokenExpired
      guard case .token(let token) = credentials, let text = push.authorization,
        isExpired || answer.reason == "InvalidProviderToken", token.renew(after: text, isExpired: isExpired)
      else {
        return refuse(push, answer.detail(push.request), at: now)
      }
      takeRefused(push, at: now)
    case .forbidden: forbid(push, answer.detail(push.request), connection.keyVersion, at: now)
    case .tooManyTokens: refuse(push, answer.detail(push.request), for: times.tooManyTokens, at: now)
    }
  }

  /// Ends a push to a dead token, and those that wait for it, because APNs would give them the same answer. A
  /// token is dead for a topic, so pushes to others are still sent.
  private func finishDead(_ push: PushStream, _ answer: PushAnswer) {
    let (device, topic) = (push.request.device, push.request.topic)
    let waiting = devices[device] ?? []
    devices[device] = waiting.filter { $0.request.topic != topic }
    for other in waiting where other.request.topic == topic { other.finish(.dead(answer)) }
    finish(push, .dead(answer))
  }

  private func later(_ detail: String, _ push: PushStream, at now: MonotonicTime) -> PushOutcome {
    .result(.unavailable(detail, after: backoffs.next(for: push.request.device, of: push.batch, at: now)))
  }

  /// Sends a push again that APNs has not processed.
  private func takeRefused(_ push: PushStream, _ last: String? = nil, at now: MonotonicTime) {
    push.refusals += 1
    if push.end.map({ $0 <= now }) != true, push.refusals <= PushStream.maximumRefusals {
      return sendAgain(push)
    }
    let detail = "\(target.host) has refused the push \(push.refusals) times without an answer"
    putOff(push, later(last ?? detail, push, at: now))
  }

  /// Sends a push again, with the same `apns-id`, if APNs may have taken it. A push that got no answer is
  /// put off: its device may be the reason, and its whole batch would wait for it.
  func takeLost(_ push: PushStream, _ detail: String, at now: MonotonicTime) {
    guard push.isOpened else { return takeRefused(push, at: now) }
    tally.note { $0.uncertain += 1 }
    push.noteLost()
    if push.end == nil, !push.isGivenUp, push.repeats <= PushStream.maximumRepeats { return sendAgain(push) }
    let unknown = "it is unknown whether \(target.host) has taken the push (\(detail)): it will be sent again"
    putOff(push, later(unknown, push, at: now))
  }

  private func noteAccepted() {
    guard isTrying || hasFault else { return }
    (isTrying, hasFault) = (false, false)
    tally.note { ($0.credentialsFault, $0.faultStart) = (nil, nil) }
  }

  private func refuse(_ push: PushStream, _ detail: String, for pause: Duration? = nil, at now: MonotonicTime)
  {
    let authorization = push.authorization
    putOff(push, .credentials(detail))
    refuse(detail, authorization, for: pause, at: now)
  }

  /// Gives back all pushes, because APNs would take none of them with these credentials.
  /// - Parameter pause: how long APNs wants no other token, or nil. During a pause, `send` does not give
  ///   up, because the next process would come with another token.
  func refuse(
    _ detail: String, _ authorization: String? = nil, for pause: Duration? = nil, at now: MonotonicTime
  ) {
    let used = authorization ?? (try? self.authorization().text)
    var detail = detail
    // If the key file has a new key that cannot be used, that is usually why APNs refuses the old one.
    if case .token(let token) = credentials, let trouble = token.trouble { detail += "; " + trouble }
    acceptedKey = nil
    refusal = (detail, used, now + (pause ?? times.credentials))
    tally.note { ($0.credentialsFault, $0.faultStart) = (detail, pause == nil ? $0.faultStart ?? now : nil) }
    for connection in connections { connection.drain(.replaced, detail) }
    giveBack(.credentials(detail))
  }
}
