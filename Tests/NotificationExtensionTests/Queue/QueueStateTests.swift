import Testing

@testable import NotificationExtension

/// The checks of an arriving push, each named after its question.
@Suite("The state of the push queue") struct QueueStateTests {
  private static let device = "6F1C"

  private static func mark(_ position: UInt64, epoch: UInt64 = 7, of device: String = device) -> QueueMark {
    QueueMark(position: position, epoch: epoch, deviceHash: "hash-\(device)", ticket: "t\(epoch)-\(position)")
  }

  private var state = QueueState()

  @discardableResult
  private mutating func receive(
    _ mark: QueueMark?, device: String = device, repeatMaxCount: UInt64 = 10
  ) -> QueueDecision {
    state.receive(mark, device: device, repeatMaxCount: repeatMaxCount) { "hash-\($0)" }
  }

  /// Receives these positions, and returns the decisions other than to show the push.
  private mutating func receive(_ positions: UInt64..., epoch: UInt64 = 7) -> [QueueDecision] {
    positions.map { receive(Self.mark($0, epoch: epoch)) }.filter { $0 != .show }
  }

  @Test("1: can the mark be read? If not, the push is shown, and nothing changes") mutating func readable() {
    receive(Self.mark(4))
    let old = state
    let broken = QueueMark(userInfo: [
      "q": ["p": 0, "e": 7, "d": "hash-\(Self.device)", "t": "t"] as [String: Any]
    ])
    #expect(receive(broken) == .show)
    #expect(state == old)
  }

  @Test("2: is it of the same device and numbering? If not, counting begins again") mutating func numbering()
  {
    #expect(receive(4, 5) == [])
    // A later epoch begins with 1.
    #expect(receive(1, 2, epoch: 8) == [])
    #expect(receive(3, epoch: 9) == [.ask(last: 3, count: 2, lost: 0, ticket: "t9-3")])
    #expect(state.epoch == 9 && state.last == 3 && state.seen == 1)
    // The epoch of another device has nothing to do with this one.
    #expect(receive(Self.mark(50, of: "other"), device: "other") == .show)
    #expect(state.device == "other" && state.last == 50)
  }

  @Test("2: a late push of an earlier numbering leaves the new one") mutating func backward() {
    #expect(receive(4, 5) == [])
    #expect(receive(1, epoch: 8) == [])
    let old = state
    #expect(receive(6, 900, epoch: 7) == [])
    #expect(state == old)
    #expect(receive(2, epoch: 8) == [])
  }

  @Test("3: has the push a number? If not, it is shown, and nothing changes") mutating func numbered() {
    receive(Self.mark(4))
    let old = state
    #expect(receive(QueueMark(userInfo: ["aps": ["alert": "Lunch?"]])) == .show)
    #expect(state == old)
    #expect(receive(5) == [])
  }

  @Test("4: is it for this device? If not, it is shown, and nothing changes") mutating func ours() {
    receive(Self.mark(4))
    let old = state
    #expect(receive(Self.mark(90, of: "other")) == .show)
    #expect(receive(Self.mark(1, epoch: 99, of: "other")) == .show)
    #expect(state == old)
    #expect(receive(5) == [])
  }

  @Test("5: is there a position to count from? If not, counting begins with this push") mutating func first()
  {
    #expect(receive(400) == [])
    #expect(state.last == 400 && state.seen == 1 && state.ticket == "t7-400")
    #expect(receive(402) == [.ask(last: 402, count: 1, lost: 0, ticket: "t7-402")])
    // Positions before the first one may still come.
    #expect(receive(399) == [])
    #expect(state.seen == 0b1101)
  }

  @Test("6: are some missing? If not, the push is shown") mutating func missing() {
    #expect(receive(4, 5, 6, 7) == [])
    #expect(state.last == 7 && state.seen == 0b1111)
    #expect(receive(10) == [.ask(last: 10, count: 2, lost: 0, ticket: "t7-10")])
    #expect(state.seen == 0b1111001)
  }

  @Test("6: doubles, late ones and resent ones are not missing, and are asked for once") mutating func late()
  {
    #expect(receive(4, 8) == [.ask(last: 8, count: 3, lost: 0, ticket: "t7-8")])
    #expect(receive(8, 5, 5, 6, 4, 8) == [])
    #expect(state.last == 8 && state.ticket == "t7-8" && state.seen == 0b11101)
    #expect(receive(9) == [])
  }

  @Test(
    "7: are few enough missing to ask for? If not, there is a summary", arguments: [0, 1, 10] as [UInt64])
  mutating func many(limit: UInt64) {
    receive(Self.mark(1), repeatMaxCount: limit)
    let decision = receive(Self.mark(2 + limit), repeatMaxCount: limit)
    #expect(
      decision
        == (limit == 0 ? .show : .ask(last: 2 + limit, count: limit, lost: 0, ticket: "t7-\(2 + limit)")))
    #expect(receive(Self.mark(4 + 2 * limit), repeatMaxCount: limit) == .summary(missed: limit + 1))
    #expect(state.last == 4 + 2 * limit && state.summarized == limit + 1)
    #expect(receive(Self.mark(5 + 2 * limit), repeatMaxCount: limit) == .show)
  }

  @Test(
    "takes any position without overflow",
    arguments: [1, 63, 64, 65, 1 << 53 - 1, .max - 1, .max] as [UInt64])
  mutating func huge(step: UInt64) {
    var decisions: [QueueDecision] = []
    receive(Self.mark(1), repeatMaxCount: .max)
    for (position, epoch) in [(1 + min(step, .max - 1), 7), (.max, 7), (1, 7), (.max, .max), (0, .max)]
      as [(UInt64, UInt64)]
    {
      decisions.append(receive(Self.mark(position, epoch: epoch), repeatMaxCount: .max))
      #expect(state.last > 0 && state.seen & 1 == 1)
    }
    #expect(decisions.last == .show)
    #expect(state.summarized <= QueueMark.maximum)
  }

  @Test("what is asked for and has not come is in a summary once the server is no longer told of it")
  mutating func leaving() {
    #expect(receive(1, 4) == [.ask(last: 4, count: 2, lost: 0, ticket: "t7-4")])
    for position in 5...54 as ClosedRange<UInt64> { #expect(receive(position) == []) }
    #expect(receive(2) == [])
    // 2 has arrived, and 3 is now the 53rd before the last.
    #expect(receive(55) == [])
    #expect(receive(56) == [.summary(missed: 1)])
    #expect(state.summarized == 1)
    #expect(receive(57) == [])
    #expect(receive(59) == [.ask(last: 59, count: 1, lost: 0, ticket: "t7-59")])
    for position in 60...110 as ClosedRange<UInt64> { #expect(receive(position) == []) }
    #expect(receive(112) == [.ask(last: 112, count: 1, lost: 1, ticket: "t7-112")])
    #expect(state.summarized == 2)
  }

  @Test("what the server has given up is in a summary once, wherever the state is by then")
  mutating func settling() {
    #expect(receive(1, 6) == [.ask(last: 6, count: 4, lost: 0, ticket: "t7-6")])
    let asked = state
    #expect(receive(7, 3) == [])
    // The bits are those of 5, 4 and 3, of which 3 has arrived since. 2 was replaced.
    let answer = QueueAnswer(gone: 0b1110, superseded: 0b10000)
    #expect(state.settle(answer, askedWith: asked) == 2)
    #expect(state.settle(answer, askedWith: asked) == 0)
    #expect(state.settle(QueueAnswer(gone: .max), askedWith: state) == 0)
    #expect(state.summarized == 2)
    // An answer does not count if it belongs to another state, or comes too late.
    #expect(receive(9) == [.ask(last: 9, count: 1, lost: 0, ticket: "t7-9")])
    let late = state
    #expect(state.settle(QueueAnswer(gone: .max), askedWith: QueueState()) == 0)
    for position in 10...62 as ClosedRange<UInt64> { _ = receive(position) }
    #expect(state.summarized == 3)
    #expect(state.settle(QueueAnswer(gone: .max), askedWith: late) == 0)
  }
}
