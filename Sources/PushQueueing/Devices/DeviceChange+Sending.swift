extension DeviceChange {
  /// See `PushQueue.assign`.
  /// - Parameter hashes: the hashes of the message and of the collapse id.
  mutating func assign(
    _ push: OfferedPush, hashes: (message: MessageHash, collapse: UInt64), keep: Int, at now: Int64
  ) -> QueuePosition {
    let time = min(max(0, now), 1 << 47)
    var log = log ?? DeviceLog(token: push.token, epoch: time / 1_000, at: time)
    self.log = nil
    if log.isDead || log.token != push.token || log.isForgotten(at: time)
      || log.last >= PushState.maximumPosition
    {
      dropAll(of: &log, at: time)
      let (asks, receipts, receipt) = (log.asks, log.receipts, log.receipt)
      log = DeviceLog(token: push.token, epoch: max(time / 1_000, log.epoch + 1), at: time)
      (log.asks, log.receipts, log.receipt) = (asks, receipts, receipt)
    }
    log.active = time
    defer { put(log) }
    if let index = log.pushes.index(of: hashes.message) {
      return QueuePosition(device: device, epoch: log.epoch, position: log.pushes.position(at: index))
    }
    log.last += 1
    let state = PushState(
      position: log.last, number: next, message: hashes.message, collapse: hashes.collapse,
      // Kept even if APNs tries the push only once, because its answer and its receipt are to be counted.
      expires: push.expires > time
        ? min(push.expires, time + PushQueueLimits.longestLife) : time + PushQueueLimits.leastLife)
    next += 1
    log.pushes.append(state)
    added.append((state, push))
    count(.assigned, at: time)
    if ends == 0 || state.expires < ends { ends = max(1, state.expires) }
    // A push without an answer stays longer: its message may come again and must get the same position.
    var index = 0
    while index < log.pushes.count, log.pushes.position(at: index) <= log.last - Int64(max(1, keep)) {
      let old = log.pushes[index]
      if old.answer != .none || old.position <= log.last - PushQueueLimits.mostUnanswered {
        drop(index, of: &log, at: time)
      } else {
        index += 1
      }
    }
    return QueuePosition(device: device, epoch: log.epoch, position: log.last)
  }

  /// See `PushQueue.note`.
  mutating func note(_ answer: NotedAnswer.Answer, to position: QueuePosition, at now: Int64) {
    guard var log = take(at: now) else { return }
    let index = log.epoch == position.epoch ? log.pushes.index(of: position.position) : nil
    defer { put(log, isChanged: index != nil) }
    guard let index else { return }
    var push = log.pushes[index]
    if push.answer == .none {
      noteFirst(answer, to: &push, at: now)
    } else {
      noteRepeat(answer, to: &push, at: now)
    }
    log.pushes[index] = push
    if answer == .dead {
      // The other pushes to this token are dropped now. APNs will answer them in the same way, so
      // count them now. Those that have expired are counted when they are dropped.
      let others = log.pushes.indices.count {
        log.pushes[$0].answer == .none && log.pushes[$0].expires > now
      }
      for statistic in [Statistic.sent, .dead] { count(statistic, Int64(others), at: now) }
      dropAll(of: &log, at: now)
      log.isDead = true
    }
  }

  private mutating func noteFirst(_ answer: NotedAnswer.Answer, to push: inout PushState, at now: Int64) {
    switch answer {
    case .accepted: (push.answer, push.answered) = (.accepted, now)
    case .rejected: push.answer = .rejected
    // It is dropped right after this.
    case .dead: push.answer = .rejected
    case .expired: push.answer = .expired
    case .later, .uncertain: return
    }
    if answer != .expired { count(.sent, at: now) }
    count(answer.statistic, at: now)
  }

  /// Notes the answer to a push that is sent again. Counts no answer. Ignores the answer to a message
  /// that came from its queue again.
  private mutating func noteRepeat(_ answer: NotedAnswer.Answer, to push: inout PushState, at now: Int64) {
    guard push.flags.contains(.leased) else { return }
    push.flags.remove(.leased)
    switch answer {
    case .accepted, .dead, .expired: push.flags.remove(.wanted)
    case .rejected:
      push.flags.remove(.wanted)
      push.flags.insert(.refused)
    case .later:
      // It was not sent after all.
      count(.resent, -1, at: push.sent)
      push.resent -= push.resent > 0 ? 1 : 0
      due = max(1, now + PushQueueLimits.resendPause)
    case .uncertain where push.resent < PushQueueLimits.resends:
      due = max(1, now + PushQueueLimits.resendPause)
    case .uncertain: push.flags.remove(.wanted)
    }
  }

  /// See `PushQueue.takeAsked`.
  mutating func takeWanted(at now: Int64) -> [PushState] {
    guard var log = take(at: now) else { return [] }
    defer { put(log) }
    var taken: [PushState] = []
    due = 0
    for index in log.pushes.indices {
      var push = log.pushes[index]
      guard push.flags.contains(.wanted) else { continue }
      if push.isLeased(at: now) {
        due =
          due == 0
          ? push.sent + PushQueueLimits.resendLease : min(due, push.sent + PushQueueLimits.resendLease)
        continue
      }
      if push.resent >= PushQueueLimits.resends || push.expires <= now || log.pushes.isSuperseded(index) {
        push.flags.subtract([.wanted, .leased])
      } else {
        push.flags.insert(.leased)
        (push.resent, push.sent) = (push.resent + 1, max(0, now))
        count(.resent, at: now)
        taken.append(push)
      }
      log.pushes[index] = push
    }
    if !taken.isEmpty {
      let end = max(1, now + PushQueueLimits.resendLease)
      due = due == 0 ? end : min(due, end)
    }
    return taken
  }
}

extension NotedAnswer.Answer {
  fileprivate var statistic: Statistic {
    switch self {
    case .accepted: .accepted
    case .rejected, .later, .uncertain: .rejected
    case .dead: .dead
    case .expired: .expired
    }
  }
}
