extension DeviceChange {
  /// See `PushQueue.ask`.
  mutating func ask(_ question: MissedQuestion, at now: Int64) -> MissedAnswer {
    guard var log = take(at: now) else { return .unknownDevice }
    var isChanged = false
    defer { put(log, isChanged: isChanged) }
    guard log.epoch == question.epoch else { return .otherEpoch }
    guard question.count <= PushQueueLimits.missed else { return .tooMany }
    if let wait = log.asks.admit(at: now, perHour: PushQueueLimits.asksPerHour) { return .tooSoon(wait) }
    isChanged = true
    (log.active, log.receipt) = (now, now)
    let seen = SeenWindow(question.last, question.seen)
    note(seen, in: &log, at: now)
    var (resending, rejected, expired, superseded) = (0, 0, 0, 0)
    for position in seen.missed(question.count, upTo: log.last) {
      guard let index = log.pushes.index(of: position) else {
        expired += 1
        continue
      }
      var push = log.pushes[index]
      guard !push.flags.contains(.seen) else { continue }
      if push.flags.insert(.asked).inserted { count(.asked, at: now) }
      switch push.answer {
      case .none: break
      case .rejected: rejected += 1
      case .expired: expired += 1
      case .accepted where push.flags.contains(.refused): rejected += 1
      case .accepted where push.expires <= now: expired += 1
      case .accepted where log.pushes.isSuperseded(index): superseded += 1
      // It has been sent again as often as it may.
      case .accepted where push.resent >= PushQueueLimits.resends && !push.flags.contains(.wanted):
        expired += 1
      case .accepted:
        resending += 1
        want(&push, at: now)
      }
      log.pushes[index] = push
    }
    let holes = seen.holes(in: log, at: now)
    if (resending, rejected, expired, superseded) == (0, 0, 0, 0), holes.isEmpty { return .nothing }
    return .resending(
      resending, rejected: rejected, expired: expired, superseded: superseded, holes: holes)
  }

  /// See `PushQueue.note`.
  mutating func note(_ receipt: PushReceipt, at now: Int64) -> ReceiptAnswer {
    guard var log = take(at: now) else { return .unknownDevice }
    var isChanged = false
    defer { put(log, isChanged: isChanged) }
    guard log.epoch == receipt.epoch else { return .otherEpoch }
    if let wait = log.receipts.admit(at: now, perHour: .max) { return .tooSoon(wait) }
    isChanged = true
    (log.active, log.receipt) = (now, now)
    // A stranger may report any number.
    let summarized = min(receipt.summarized, log.last)
    if summarized > log.summarized {
      count(.summaries, summarized - log.summarized, at: now)
      log.summarized = summarized
    }
    let seen = SeenWindow(receipt.last, receipt.seen)
    note(seen, in: &log, at: now)
    for index in seen.indices(in: log.pushes) {
      var push = log.pushes[index]
      let last = max(push.answered, push.sent)
      guard push.flags.contains(.asked), push.flags.isDisjoint(with: [.seen, .refused]),
        push.answer == .accepted,
        push.expires > now, (now - last).magnitude >= PushQueueLimits.resendPause.magnitude,
        !log.pushes.isSuperseded(index)
      else { continue }
      want(&push, at: now)
      log.pushes[index] = push
    }
    return .noted(seen.holes(in: log, at: now))
  }

  /// Marks the push to be sent again, unless that is done or under way.
  private mutating func want(_ push: inout PushState, at now: Int64) {
    guard !push.flags.contains(.wanted), push.resent < PushQueueLimits.resends,
      push.isRested(for: PushQueueLimits.resendPause, at: now)
    else { return }
    push.flags.insert(.wanted)
    push.flags.remove(.leased)
    let time = max(1, now)
    due = due == 0 ? time : min(due, time)
  }

  /// Counts what the device has seen, each position once.
  private mutating func note(_ seen: SeenWindow, in log: inout DeviceLog, at now: Int64) {
    for index in seen.indices(in: log.pushes) {
      var push = log.pushes[index]
      guard seen.contains(push.position), !push.flags.contains(.seen),
        push.answer == .none || push.answer == .accepted
      else { continue }
      count(.receipts, at: now)
      count(.delay(push.answered == 0 ? 0 : max(0, now - push.answered)), at: now)
      count(.hour(Int(max(0, now) / 3_600_000 % 24)), at: now)
      if push.resent > 0 {
        count(.recovered, at: now)
      } else if push.flags.contains(.asked) {
        count(.late, at: now)
      }
      push.flags.insert(.seen)
      push.flags.subtract([.wanted, .leased])
      log.pushes[index] = push
    }
  }
}

/// The positions that a device reports on: `last` and the 63 before it.
private struct SeenWindow {
  /// 0 if the device names no valid position.
  private let last: Int64
  private let bits: UInt64

  init(_ last: Int64, _ bits: UInt64) {
    self.last = 0...PushState.maximumPosition ~= last ? last : 0
    self.bits = bits
  }

  func contains(_ position: Int64) -> Bool {
    0..<64 ~= last - position && bits >> UInt64(last - position) & 1 == 1
  }

  /// The indices of the kept pushes in the window.
  func indices(in pushes: PushStates) -> Range<Int> {
    let start = pushes.lowerBound(last - 63)
    return start..<max(start, pushes.lowerBound(last + 1))
  }

  /// The positions that the device has not seen and never will.
  func holes(in log: DeviceLog, at now: Int64) -> Holes {
    var holes = Holes()
    for position in missed(Int64(Holes.count) - 1, upTo: log.last) {
      let bit: UInt64 = 1 << UInt64(last - position)
      let index = log.pushes.index(of: position)
      if let index, log.pushes.isSuperseded(index) {
        holes.superseded |= bit
      } else if index.map({ log.pushes[$0].isGone(at: now) }) ?? true {
        holes.gone |= bit
      }
    }
    return holes
  }

  /// The positions among the `count` before the last that the device has not seen.
  /// - Parameter end: the last position that was assigned.
  func missed(_ count: Int64, upTo end: Int64) -> [Int64] {
    let first = max(1, last - max(0, count))
    return (first..<max(first, min(last, end + 1))).filter { !contains($0) }
  }
}
