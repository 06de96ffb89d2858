internal import Queueing

/// What becomes of dead letters while they cannot be written: they wait, and nothing else does.
extension Worker {
  /// For leave to write a dead letter: long against what that takes, and a pause for what comes round again.
  private static let letterPatience = Duration.milliseconds(500)

  /// Waits for leave to write the dead letter of `delivery`. Where others have had it for long, its message goes to the end of its queue, and
  /// makes room for those behind it.
  /// - Returns: whether it is there: nothing more is to be done about it.
  func standsBack(
    _ delivery: Delivery, _ result: WorkResult, until end: ContinuousClock.Instant, at desk: Desk
  ) async -> Bool {
    // Behind a line there is nothing until it is settled.
    guard !source.settlesInOrder else { return false }
    // One for all tries, of which the first may have put it there.
    let again = Publication(delivery.message, into: source)
    // At the end of its queue it would be one that has killed nobody.
    var mayGoBack = result.failure?.reason != .poison
    while await !mayWriteLetter(of: delivery, at: desk) {
      guard !isOver(end, desk) else { return false }
      guard mayGoBack else { continue }
      do throws(QueueError) {
        try await source.settle(delivery, publishing: [again])
        log.trouble(.standingBack, id: delivery.message.id)
        return true
      } catch {
        switch error {
        case .leaseLost:
          log.trouble("a dead letter is somebody else's to write", error, id: delivery.message.id)
          return true
        case .unavailable: continue
        // As where nothing may be published into it.
        case .refused, .urlInvalid: mayGoBack = false
        }
      }
    }
    return false
  }

  private func mayWriteLetter(of delivery: Delivery, at desk: Desk) async -> Bool {
    let end = ContinuousClock.now + Self.letterPatience
    while !desk.admitLetter(of: delivery) {
      guard .now < end else { return false }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return true
  }
}
