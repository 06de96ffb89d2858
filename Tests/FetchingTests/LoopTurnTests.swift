import Testing

@testable import Fetching

/// How much a transfer may receive before others have their turn.
@Suite("A turn of the loop")
struct LoopTurnTests {
  @Test("the share of a turn is sixteen buffers", arguments: [8_192, 65_536])
  func share(buffer: Int) {
    let turn = LoopTurn(buffer: buffer)
    var taken = LoopTurn.Taken()
    let answers = (1...18).map { _ in turn.takes(buffer, &taken) }
    #expect(answers == (1...18).map { $0 == 16 })
  }

  @Test("short pieces count for 512 bytes each")
  func short() {
    let turn = LoopTurn(buffer: 8_192)
    var taken = LoopTurn.Taken()
    #expect((1...300).first { _ in turn.takes(1, &taken) } == 256)
  }

  @Test("a paused transfer continues in the next turn, with the whole share")
  func next() {
    let turn = LoopTurn(buffer: 8_192)
    var taken = LoopTurn.Taken()
    #expect(turn.takes(140_000, &taken))
    let id: Exchange.ID = 7
    turn.paused.append(id)
    #expect(turn.next() == [id])
    #expect(turn.paused.isEmpty)
    #expect(!turn.takes(130_000, &taken))
    #expect(turn.takes(2_000, &taken))
  }
}
