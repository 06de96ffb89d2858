package import Queueing
internal import Supporting
internal import Synchronization

/// The rules of a push queue, whichever store keeps it.
package struct StoredPushQueue<Store: DeviceStore>: PushQueue {
  package let store: Store
  private let limits: PushQueueLimits

  /// How many rows a step of `tidy` touches.
  private static var step: Int { 100 }

  package init(_ store: Store, _ limits: PushQueueLimits) { (self.store, self.limits) = (store, limits) }

  package func assign(_ pushes: [OfferedPush], at now: Int64) async throws(QueueError) -> [QueuePosition] {
    var hashes: [(message: MessageHash, collapse: UInt64)] = []
    hashes.reserveCapacity(pushes.count)
    for push in pushes {
      guard let message = MessageHash(of: push.message),
        let collapse = push.collapseID.map({ SHA256.digest(of: Array($0.utf8).span) }) ?? []
      else { throw .unavailable("OpenSSL has no memory for a SHA-256") }
      hashes.append((message, collapse.isEmpty ? 0 : max(1, collapse.integer(at: 0, 8))))
    }
    let groups = Groups(pushes) { $0.device }
    let keep = limits.keep
    let positions = try await store.update(groups.devices, adding: pushes.count) { [hashes] index, device in
      groups[index].map { device.assign(pushes[$0], hashes: hashes[$0], keep: keep, at: now) }
    }
    return groups.inOrder(
      positions, fallback: pushes.map { QueuePosition(device: $0.device, epoch: 0, position: 0) })
  }

  package func note(_ answers: [NotedAnswer], at now: Int64) async throws(QueueError) {
    let groups = Groups(answers) { $0.position.device }
    _ = try await store.update(groups.devices, adding: 0) { index, device in
      for index in groups[index] { device.note(answers[index].answer, to: answers[index].position, at: now) }
    }
  }

  package func ask(_ question: MissedQuestion, at now: Int64) async throws(QueueError) -> MissedAnswer {
    try await store.update([question.device], adding: 0) { _, device in device.ask(question, at: now) }.first
      ?? .unknownDevice
  }

  package func note(_ receipt: PushReceipt, at now: Int64) async throws(QueueError) -> ReceiptAnswer {
    try await store.update([receipt.device], adding: 0) { _, device in device.note(receipt, at: now) }.first
      ?? .unknownDevice
  }

  package func takeAsked(_ limit: Int, at now: Int64) async throws(QueueError) -> [KeptPush] {
    let devices = try await store.due(at: now, limit: max(0, limit))
    guard !devices.isEmpty else { return [] }
    let room = Room(limit)
    let taken = try await store.update(devices, adding: 0) { _, device -> Taken? in
      guard room.isLeft else { return nil }
      let pushes = device.takeWanted(at: now)
      room.take(pushes.count)
      return device.log.map { Taken(pushes: pushes, token: $0.token, epoch: $0.epoch) }
    }
    var kept: [KeptPush] = []
    for (device, taken) in zip(devices, taken) {
      guard let taken, !taken.pushes.isEmpty else { continue }
      let contents = try await store.contents(of: taken.pushes)
      for (state, content) in zip(taken.pushes, contents) {
        // If the push is gone, another push may have its number by now.
        guard let content, MessageHash(of: content.message) == state.message else { continue }
        let push = OfferedPush(
          device: device, token: taken.token, message: content.message, expires: state.expires,
          collapseID: content.collapseID, body: content.body, headers: content.headers)
        let position = QueuePosition(device: device, epoch: taken.epoch, position: state.position)
        kept.append(KeptPush(position, push, resent: Int(state.resent)))
      }
    }
    return kept
  }

  package func tidy(at now: Int64) async throws(QueueError) -> Bool {
    let ended = try await store.ended(at: now, limit: Self.step)
    let room = Room(Self.step)
    if !ended.isEmpty {
      _ = try await store.update(ended, adding: 0) { _, device in
        if room.isLeft { room.take(max(1, device.expire(at: now))) }
      }
    }
    let surplus = try await store.surplus(over: limits.bytes, limit: Self.step)
    _ = try await update(surplus.map { ($0.key, $0.value) }) { numbers, device in
      device.drop(numbers, at: now)
    }
    let unseen = try await store.unseen(since: now - PushQueueLimits.deviceLife, limit: Self.step)
    _ = try await update(unseen.map { ($0, ()) }) { _, device in device.forget(at: now) }
    let hasMore = try await store.forgetStatistics(
      before: Int(now / DeviceChange.day) - PushQueueLimits.statisticsDays, limit: Self.step)
    return hasMore || !room.isLeft || ended.count == Self.step || unseen.count == Self.step
      || !surplus.isEmpty
  }

  private func update<Work: Sendable, Result: Sendable>(
    _ works: [(device: AppDevice, work: Work)],
    _ body: @escaping @Sendable (Work, inout DeviceChange) -> Result
  ) async throws(QueueError) -> [Result] {
    if works.isEmpty { return [] }
    return try await store.update(works.map(\.device), adding: 0) { index, device in
      body(works[index].work, &device)
    }
  }

  package func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics]
  {
    try await store.statistics(of: app, days: days)
  }
}

/// The pushes to send to a device again.
private struct Taken: Sendable {
  let pushes: [PushState]
  let token: String
  let epoch: Int64
}

/// How many items a step may still handle.
private final class Room: Sendable {
  private let left: Mutex<Int>

  init(_ size: Int) { left = Mutex(size) }

  var isLeft: Bool { left.withLock { $0 > 0 } }
  func take(_ count: Int) { left.withLock { $0 -= count } }
}

/// Items by their device, so that each device is loaded once.
private struct Groups: Sendable {
  private(set) var devices: [AppDevice] = []
  private var members: [[Int]] = []

  init<Item>(_ items: [Item], device: (Item) -> AppDevice) {
    var places: [AppDevice: Int] = [:]
    for (index, item) in items.enumerated() {
      let device = device(item)
      if let place = places[device] {
        members[place].append(index)
      } else {
        places[device] = devices.count
        devices.append(device)
        members.append([index])
      }
    }
  }

  /// The indices of the items of a device.
  subscript(place: Int) -> [Int] { members[place] }

  /// The results of each device's items, in the order of the items.
  func inOrder<Result>(_ results: [[Result]], fallback: [Result]) -> [Result] {
    var ordered = fallback
    for (members, results) in zip(members, results) {
      for (index, result) in zip(members, results) { ordered[index] = result }
    }
    return ordered
  }
}
