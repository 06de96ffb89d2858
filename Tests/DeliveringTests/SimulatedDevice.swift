import Foundation
import Misbehaving
import NotificationExtension
import TestSupport

/// A device with an app, whose extension uses `NotificationExtension`.
actor SimulatedDevice {
  static let app = "com.example.app"

  nonisolated let id: String
  nonisolated let token: String
  private let client: QueueClient
  private let texts: Int
  private var state = QueueState()
  /// The collapse id of each push that was shown, by its position.
  private var shown: [UInt64: String] = [:]
  private var summarized: Set<UInt64> = []
  /// Positions in receipts that the server has confirmed.
  private var told: Set<UInt64> = []
  /// Positions in receipts that got no answer. The server may have counted them.
  private var perhapsTold: Set<UInt64> = []
  private var shownTwice = 0
  /// Counts summaries of more or fewer pushes than were missing.
  private var wrongCounts = 0
  /// Counts pushes that have the text of another position.
  private var wrongTexts = 0
  /// Positions that arrived for the first time when they were sent again.
  private var recovered: Set<UInt64> = []

  /// - Parameter pushes: how many different texts its pushes have.
  init(number: Int, pushes: Int, server: URL) {
    texts = pushes
    id = "00000000-0000-4000-8000-" + String(format: "%012d", number)
    token = "de" + String(format: "%010d", number)
    client = QueueClient(app: Self.app, transport: HTTPTransport(server), limit: .seconds(3))
  }

  /// What the extension does with a push.
  func receive(_ push: AcceptedPush) async {
    let content = (try? JSONSerialization.jsonObject(with: Data(push.body))) as? [String: Any] ?? [:]
    guard let mark = QueueMark(userInfo: content) else { return }
    let text = (content["aps"] as? [String: Any])?["alert"] as? String
    if text != "n\((Int(mark.position) - 1) % texts)" {
      wrongTexts += 1
      print("\(id): \(text ?? "") has position \(mark.position)\(mark.isResent ? ", again" : "")")
    }
    show(mark, push)
    let before = state.last
    let decision = state.receive(mark, device: id) { DeviceHash.hash(app: Self.app, device: $0) }
    switch decision {
    case .show: break
    case .summary(let missed):
      let isAsked = mark.position - before <= 11
      summarize(isAsked ? [] : Array(before + 1..<mark.position), count: missed)
    case .ask(_, let count, let lost, _):
      summarize([], count: lost)
      let asked = state
      // A question also tells the server what has been seen, and the server counts that.
      perhapsTold.formUnion(Self.positions(in: asked))
      settle(await client.ask(for: count, in: asked), askedWith: asked)
    }
    _ = await tellOnce()
  }

  private func show(_ mark: QueueMark, _ push: AcceptedPush) {
    if let other = shown[mark.position] {
      // iOS replaces a notification with the same collapse id.
      if other != push.collapseID { shownTwice += 1 }
      return
    }
    shown[mark.position] = push.collapseID
    if mark.isResent { recovered.insert(mark.position) }
  }

  /// Positions before the last 53 are no longer in receipts, so they are in each summary.
  private func summarize(_ missed: [UInt64], count: UInt64) {
    let missed = missed + (state.last > 53 ? Array(1...state.last - 53) : [])
    let new = missed.filter { shown[$0] == nil && !summarized.contains($0) }
    if UInt64(new.count) != count { wrongCounts += 1 }
    summarized.formUnion(new)
  }

  private func settle(_ answer: QueueAnswer, askedWith asked: QueueState) {
    let count = state.settle(answer, askedWith: asked)
    let gone = (1..<min(53, max(1, asked.last))).filter { answer.gone >> $0 & 1 == 1 }.map { asked.last - $0 }
    let new = gone.filter { shown[$0] == nil && !summarized.contains($0) }
    if UInt64(new.count) != count { wrongCounts += 1 }
    summarized.formUnion(new)
  }

  /// Sends a receipt, as the app does when it starts. The server takes one in 2 s.
  func tell(attempts: Int = 5) async -> Bool {
    for attempt in 1...attempts {
      let summarized = state.summarized
      if await tellOnce(), state.summarized == summarized { return true }
      if attempt < attempts { try? await Task.sleep(for: .seconds(2.1)) }
    }
    return false
  }

  private func tellOnce() async -> Bool {
    let sent = state
    let positions = Self.positions(in: sent)
    guard let answer = await client.sendReceipt(of: sent) else {
      perhapsTold.formUnion(positions)
      return false
    }
    told.formUnion(positions)
    settle(answer, askedWith: sent)
    return true
  }

  /// The positions that a receipt has.
  private static func positions(in state: QueueState) -> [UInt64] {
    (0..<min(53, state.last)).filter { state.seen >> $0 & 1 == 1 }.map { state.last - $0 }
  }

  struct Ledger: Sendable {
    var last: UInt64 = 0
    var shown: Set<UInt64> = []
    var summarized: Set<UInt64> = []
    var told: Set<UInt64> = []
    var perhapsTold: Set<UInt64> = []
    var recovered: Set<UInt64> = []
    var shownTwice = 0
    var wrongTexts = 0
    var wrongCounts = 0
    /// What the server has to count as shown in summaries.
    var summaries: UInt64 = 0

    /// The positions that were neither shown nor in a summary.
    var missing: [UInt64] {
      last == 0 ? [] : (1...last).filter { !shown.contains($0) && !summarized.contains($0) }
    }
  }

  var ledger: Ledger {
    Ledger(
      last: state.last, shown: Set(shown.keys), summarized: summarized, told: told,
      perhapsTold: perhapsTold.subtracting(told), recovered: recovered,
      shownTwice: shownTwice, wrongTexts: wrongTexts, wrongCounts: wrongCounts,
      summaries: state.summarized)
  }
}
