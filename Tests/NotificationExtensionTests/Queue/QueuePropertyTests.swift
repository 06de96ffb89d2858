import TestSupport
import Testing

@testable import NotificationExtension

@Suite("Pushes that are lost, doubled and overtake each other") struct QueuePropertyTests {
  private struct Number: Hashable { let epoch, position: UInt64 }

  /// A network that loses some pushes, delivers some twice, and lets some overtake up to 20 others.
  private static func arrivals(_ random: inout SeededGenerator) -> [Number] {
    let epochs = UInt64.random(in: 1...3, using: &random)
    let pushes = (1...epochs).flatMap { epoch in
      (1...UInt64.random(in: 1...80, using: &random)).map { Number(epoch: epoch, position: $0) }
    }
    let loss = Double.random(in: 0...0.9, using: &random)
    var timed: [(Double, Number)] = []
    for (time, push) in pushes.enumerated() {
      while true {
        if Double.random(in: 0..<1, using: &random) >= loss {
          timed.append((Double(time) + Double.random(in: 0...20, using: &random), push))
        }
        if Double.random(in: 0..<1, using: &random) >= 0.2 { break }
      }
    }
    return timed.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private static func positions(before end: UInt64, from start: UInt64?) -> [UInt64] {
    guard let start, start < end else { return [] }
    return Array(start..<end)
  }

  @Test("each is shown, in a summary, or asked for once and then in a summary") func covered() {
    var random = SeededGenerator(seed: 56)
    var (asked, summed) = (0, 0)
    for index in 0..<2_000 {
      var state = QueueState()
      let limit = UInt64.random(in: 0...12, using: &random)
      var (shown, covered, summarized) = (Set<Number>(), Set<Number>(), Set<Number>())
      /// The positions that the device can know of.
      var known: [UInt64: ClosedRange<UInt64>] = [:]
      for push in Self.arrivals(&random) {
        let mark = QueueMark(position: push.position, epoch: push.epoch, deviceHash: "d", ticket: "t")
        let isFirst = state.device == nil
        let last = push.epoch == state.epoch ? state.last : 0
        let decision = state.receive(mark, device: "d", repeatMaxCount: limit) { $0 }
        shown.insert(push)
        if push.epoch == state.epoch {
          let start = known[push.epoch]?.lowerBound ?? (isFirst ? push.position : 1)
          known[push.epoch] = start...max(state.last, start)
        }
        var (missed, lost): (Range<UInt64>, UInt64) = (0..<0, 0)
        switch decision {
        case .show: break
        case .ask(let last, let count, let left, _):
          #expect(last == push.position && 1...max(limit, 1) ~= count && count <= limit)
          (missed, lost) = (last - count..<last, left)
          asked += Int(count)
        case .summary(let count):
          if push.position - last - 1 > limit { missed = last + 1..<push.position }
          lost = count - UInt64(missed.count)
          summarized.formUnion(missed.map { Number(epoch: push.epoch, position: $0) })
          summed += Int(count)
        }
        // The server learns about 53 positions.
        let leaving = Self.positions(
          before: state.last - min(52, state.last), from: known[push.epoch]?.lowerBound
        )
        .map { Number(epoch: push.epoch, position: $0) }
        .filter { push.epoch == state.epoch && !shown.contains($0) && summarized.insert($0).inserted }
        if UInt64(leaving.count) != lost {
          Issue.record("case \(index): \(leaving), but \(lost) in a summary")
        }
        for position in missed {
          let number = Number(epoch: push.epoch, position: position)
          let isNew = covered.insert(number).inserted && !shown.contains(number)
          if !isNew { Issue.record("case \(index): \(number) was shown or asked for before") }
        }
        for back in 0..<min(64, state.last) where push.epoch == state.epoch {
          let number = Number(epoch: state.epoch, position: state.last - back)
          if (state.seen >> back & 1 == 1) != shown.contains(number) {
            Issue.record("case \(index): \(number)")
          }
        }
      }
      for (epoch, positions) in known {
        for number in positions.map({ Number(epoch: epoch, position: $0) })
        where !shown.contains(number) && !covered.contains(number) {
          Issue.record("case \(index): \(number) is forgotten")
        }
      }
    }
    #expect(asked > 2_000 && summed > 2_000)
  }
}
