/// What is made of silence.
extension HostBook {
  /// Longer than any time between two looks that is not the machine's fault.
  private static let longestGap = Duration.seconds(1)

  /// Whether the time has to be looked at now and then.
  var isWaited: Bool { !pending.isEmpty || !waiting.isEmpty }

  /// Whether it is time to look again.
  func isDue(at now: Instant) -> Bool {
    isWaited && lastLook.map { now - $0 >= .milliseconds(100) } ?? true
  }

  /// Looks at the time; called a few times a second while `isWaited`.
  mutating func look(at now: Instant) -> News {
    excuse(until: now)
    let limits = limits
    for (origin, transfers) in Dictionary(grouping: pending.values, by: \.origin) {
      change(origin) { $0.look(transfers.map { ($0.quietSince, $0.url) }, at: now, limits) }
    }
    var news = waiting.isEmpty ? News() : advance(at: now)
    news.givenUp = giveUp(at: now)
    return news
  }

  /// While the process was stopped, or hung in a disk, nobody could have heard an answer.
  private mutating func excuse(until now: Instant) {
    defer { lastLook = now }
    guard let lastLook, now - lastLook > Self.longestGap else { return }
    let gap = now - lastLook
    crowdedSince = crowdedSince.map { $0 + gap }
    for id in pending.keys { pending[id]?.quietSince += gap }
    for origin in hosts.keys { change(origin) { $0.excuse(gap) } }
  }

  /// Transfers that have waited for too long and are too many: a host that stops answering has all of them, or those that it answers some of the
  /// time leave them behind one by one. The oldest few may go on to their deadline, and end the outage if they have an answer.
  private mutating func giveUp(at now: Instant) -> [(transfer: TransferID, refusal: HostRefusal)] {
    var left = limits.transfersOfAllUnproven
    var kept: [Origin: Int] = [:]
    var lost: [TransferID] = []
    for (id, transfer) in oldest(pending)
    where now - transfer.quietSince >= hosts[transfer.origin]?.patience(limits) ?? limits.patience {
      if left > 0, kept[transfer.origin, default: 0] < limits.transfersOfUnproven {
        left -= 1
        kept[transfer.origin, default: 0] += 1
      } else {
        lost.append(id)
      }
    }
    return (lost + relieved(at: now)).compactMap { id in
      guard let over = pending.removeValue(forKey: id) else { return nil }
      change(over.origin) { $0.leave(over.turn) }
      return (id, .givenUp(after: now - over.quietSince))
    }
  }

  /// In the order in which they fell silent.
  private func oldest(_ transfers: [TransferID: Pending]) -> [(key: TransferID, value: Pending)] {
    transfers.sorted { ($0.value.quietSince, $0.key) < ($1.value.quietSince, $1.key) }
  }

  /// Those of hosts that have delivered nothing, while others wait to ask theirs. Twice the hush is enough for each of many.
  private func relieved(at now: Instant) -> some Sequence<TransferID> {
    let others = waiting.lazy.filter { $0.obstacle == .unprovenHosts }.count
    let silent = pending.filter { now - $0.value.quietSince >= limits.hush * 2 }
    return oldest(silent.filter { hosts[$0.value.origin]?.isProven != true }).prefix(others).map(\.key)
  }

  /// Why a redirect to a host is not followed; nil where it is. Whoever is redirected has a transfer already and cannot wait: he is
  /// refused where others wait in vain.
  func refusalOfRedirect(to origin: Origin, for url: URLMark, at now: Instant) -> HostRefusal? {
    switch hosts[origin]?.standing(at: now, for: url) ?? .unproven {
    case .proven, .probed: return nil
    case .refused(let refusal): return refusal
    case .unproven:
      let silent = pending.values.lazy.filter { $0.quietSince <= now - limits.hush }
      let most = (hosts[origin] ?? HostHealth()).transfersOfUnproven(limits)
      if silent.filter({ $0.origin == origin }).count >= most { return .crowded }
      let unproven = silent.filter { hosts[$0.origin]?.isProven != true }
      return unproven.count >= limits.transfersOfAllUnproven ? .unproven : nil
    }
  }
}
