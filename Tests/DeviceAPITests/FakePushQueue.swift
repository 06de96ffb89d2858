import PushQueueing
import Queueing
import Synchronization
import TestSupport

/// A push queue in memory, with as much as the device API needs.
final class FakePushQueue: PushQueue {
  struct Device {
    var (epoch, last): (Int64, Int64) = (7, 40)
    var (rejected, expired, superseded) = (Set<Int64>(), Set<Int64>(), Set<Int64>())
    /// How often each position has been sent again.
    var resent: [Int64: Int] = [:]
    var receipts: [PushReceipt] = []
    var holes = Holes()
    /// When the device may ask again, and its last question with the answer.
    var pause: Int64 = 0
    var latest: (question: MissedQuestion, answer: MissedAnswer)?
  }

  struct State {
    var devices: [AppDevice: Device] = [:]
    var calls = 0
    var failure: QueueError?
  }

  let state: Mutex<State>
  /// Holds up all calls until it is open.
  let gate = Latch()

  init(_ devices: [AppDevice: Device]) {
    state = Mutex(State(devices: devices))
    gate.open()
  }

  init(closed devices: [AppDevice: Device]) { state = Mutex(State(devices: devices)) }

  var calls: Int { state.withLock { $0.calls } }
  subscript(device: AppDevice) -> Device? { state.withLock { $0.devices[device] } }

  private func enter() async throws(QueueError) {
    let failure = state.withLock { state in
      state.calls += 1
      return state.failure
    }
    if let failure { throw failure }
    try? await gate.pass()
  }

  func ask(_ question: MissedQuestion, at now: Int64) async throws(QueueError) -> MissedAnswer {
    try await enter()
    return state.withLock { $0.devices[question.device]?.ask(question, at: now) ?? .unknownDevice }
  }

  func note(_ receipt: PushReceipt, at now: Int64) async throws(QueueError) -> ReceiptAnswer {
    try await enter()
    return state.withLock { state in
      guard let device = state.devices[receipt.device] else { return .unknownDevice }
      guard device.epoch == receipt.epoch else { return .otherEpoch }
      guard now >= device.pause else { return .tooSoon(device.pause - now) }
      state.devices[receipt.device]?.receipts.append(receipt)
      return .noted(device.holes)
    }
  }

  func assign(_ pushes: [OfferedPush], at now: Int64) async throws(QueueError) -> [QueuePosition] { [] }
  func note(_ answers: [NotedAnswer], at now: Int64) async throws(QueueError) {}
  func takeAsked(_ limit: Int, at now: Int64) async throws(QueueError) -> [KeptPush] { [] }
  func tidy(at now: Int64) async throws(QueueError) -> Bool { false }
  func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics] { [] }
}

extension FakePushQueue.Device {
  fileprivate mutating func ask(_ question: MissedQuestion, at now: Int64) -> MissedAnswer {
    guard question.epoch == epoch else { return .otherEpoch }
    guard question.count <= PushQueueLimits.missed else { return .tooMany }
    if let latest, latest.question == question { return latest.answer }
    guard now >= pause else { return .tooSoon(pause - now) }
    let positions = max(1, question.last - question.count)..<max(1, question.last)
    let missing = positions.filter { question.seen >> UInt64(question.last - $0) & 1 == 0 }
    let lost = [rejected, expired, superseded].map { $0.intersection(missing) }
    let again = Set(missing).subtracting(lost.joined())
    for position in again { resent[position, default: 0] += 1 }
    let answer =
      missing.isEmpty
      ? MissedAnswer.nothing
      : .resending(
        again.count, rejected: lost[0].count, expired: lost[1].count, superseded: lost[2].count)
    latest = (question, answer)
    return answer
  }
}
