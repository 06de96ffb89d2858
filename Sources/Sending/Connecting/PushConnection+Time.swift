internal import Supporting

extension PushConnection {
  /// The pause between two looks at all streams. Thousands of answers come in a second, and each has a turn.
  private static let checkInterval = Duration.milliseconds(20)

  /// Ends phases that take too long, resets streams without an answer, and sends PING.
  func check(at now: MonotonicTime) {
    switch state {
    case .closed: break
    case .resolving where now - phaseStart > times.lookup:
      end(.failed, "the host name \(target.host) cannot be looked up (no answer): check the name servers")
    case .connecting where now - phaseStart > times.connect || now - begin > times.opening:
      tryNext(at: now, after: unreachable("no answer"))
    case .handshaking where now - phaseStart > times.handshake || now - begin > times.opening:
      failTLS(
        "\(place) does not answer the TLS handshake: check that this is the address of APNs, and of no proxy",
        at: now)
    case .resolving, .connecting, .handshaking: break
    case .draining where streams.isEmpty: end(ending ?? .replaced, detail)
    case .open, .draining:
      if now >= nextCheck { checkStreams(at: now) }
      checkSigns(at: now)
    }
  }

  private func checkStreams(at now: MonotonicTime) {
    nextCheck = now + Self.checkInterval
    for push in streams where !push.isGivenUp {
      if let end = push.end, end <= now {
        push.isGivenUp = true
        session?.cancel(push)
      } else if now - push.start >= times.answer {
        push.isGivenUp = true
        session?.cancel(push)
        // If APNs has answered another push since, the connection works.
        if push.start >= lastAnswer { misses += 1 }
      }
    }
    if misses >= 3 { end(.silent, "\(place) did not answer three pushes in a row") }
  }

  private func checkSigns(at now: MonotonicTime) {
    if let pingTime {
      if now - pingTime >= times.ping { end(.silent, "\(place) fell silent, and did not answer a PING") }
    } else if now - lastSign >= (streams.isEmpty ? times.idle : times.quiet) {
      pingTime = now
      session?.ping()
    }
  }
}
