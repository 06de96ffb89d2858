import Misbehaving
import Synchronization
import TestSupport

/// The way from APNs to the devices. While a device is offline, APNs keeps only the last push for it.
final class SimulatedNetwork: Sendable {
  fileprivate struct Way {
    /// How many more pushes come before the device goes offline or online.
    var left = 0
    var isAway = true
    var kept: AcceptedPush?
  }

  fileprivate struct State {
    var ways: [String: Way] = [:]
    var generator: SeededGenerator
    var lost = 0
    /// The collapse ids of all pushes. Each push has its own.
    var pushes: Set<String> = []
    var isCalm = false
  }

  private let devices: [String: SimulatedDevice]
  private let state: Mutex<State>

  init(_ devices: [SimulatedDevice], seed: UInt64) {
    self.devices = Dictionary(devices.map { ($0.token, $0) }) { first, _ in first }
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
  }

  /// How many pushes no device gets.
  var lost: Int { state.withLock { $0.lost } }

  /// How many different pushes APNs has accepted.
  var count: Int { state.withLock { $0.pushes.count } }

  func take(_ push: AcceptedPush) {
    guard let device = devices[push.device] else { return }
    let (arrivals, delay) = state.withLock { state in
      state.pushes.insert(push.collapseID)
      return state.arrivals(of: push)
    }
    for arrival in arrivals {
      Task {
        if delay > 0 { try await Task.sleep(for: .milliseconds(delay)) }
        await device.receive(arrival)
      }
    }
  }

  /// From now on, all devices are online. They get what was kept for them.
  func calm() async {
    let kept = state.withLock { state in
      state.isCalm = true
      return state.ways.values.compactMap(\.kept)
    }
    for push in kept { await devices[push.device]?.receive(push) }
  }
}

extension SimulatedNetwork.State {
  /// The pushes that arrive now, and their delay in milliseconds. A push may come late, twice, or after the
  /// next one.
  fileprivate mutating func arrivals(of push: AcceptedPush) -> (pushes: [AcceptedPush], delay: Int) {
    if isCalm { return ([push], 0) }
    var way = ways[push.device] ?? .init()
    defer { ways[push.device] = way }
    if way.left == 0 {
      way.isAway.toggle()
      // About four of ten pushes come while the device is offline, and one of the four is kept.
      way.left =
        way.isAway ? Int.random(in: 2...6, using: &generator) : Int.random(in: 3...9, using: &generator)
    }
    way.left -= 1
    if way.isAway {
      if way.kept != nil { lost += 1 }
      way.kept = push
      guard way.left == 0 else { return ([], 0) }
      // The device is online again.
      way.kept = nil
      return ([push], 0)
    }
    let chance = Int.random(in: 0..<100, using: &generator)
    return (
      chance < 3 ? [push, push] : [push], 3..<10 ~= chance ? Int.random(in: 50...1_500, using: &generator) : 0
    )
  }
}
