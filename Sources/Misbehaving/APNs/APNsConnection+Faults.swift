internal import CNghttp2
internal import Supporting

extension APNsConnection {
  /// Lets the fault happen once enough pushes are in flight, or no more came.
  func tripIfDue() {
    guard let fault, let since = heldSince,
      held.count >= fault.inFlight || loop.now - since >= .milliseconds(200)
    else { return }
    let held = held
    (self.fault, self.held, heldSince) = (nil, [], nil)
    // Sends the answers to earlier pushes.
    flush()
    switch fault.kind {
    case .goAway(let reason, let answersEarlier): goAway(held, reason, answersEarlier: answersEarlier)
    case .reset: lose(held) { end(reset: true) }
    case .close: lose(held) { end() }
    case .readsNothing: lose(held) { state = .deaf }
    case .answersNothing: lose(held) { state = .mute }
    case .answersNoPush, .shutsWindow: lose(held) { state = .quiet }
    }
  }

  /// Records the pushes as received, although their answers never arrive.
  private func lose(_ requests: [APNsRequest], then act: () -> Void) {
    loop.record { ledger in
      for request in requests { ledger.receive(request, body: request.body) }
    }
    act()
  }

  private func goAway(_ held: [APNsRequest], _ reason: APNsReason?, answersEarlier: Bool) {
    let streams = held.map(\.stream).sorted()
    let last = streams[(streams.count - 1) / 2]
    let debug = reason?.body(at: loop.seconds) ?? []
    let earlier = held.filter { $0.stream <= last }
    _ = unsafe nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, NGHTTP2_NO_ERROR.rawValue, debug, debug.count)
    loop.record { $0.unprocessed += held.count - earlier.count }
    if answersEarlier {
      for request in earlier { process(request) }
      state = .ending(loop.now + .seconds(2))
    } else {
      lose(earlier) {
        flush()
        end()
      }
    }
  }
}
