import Testing

@testable import Fetching

/// What a transfer may take before the others have their turn.
@Suite("A turn of the loop")
struct LoopTurnTests {
  @Test("the share is four buffers, and no less than 64 KB", arguments: [(8_192, 8), (65_536, 4)])
  func share(buffer: Int, pieces: Int) {
    let turn = LoopTurn(buffer: buffer)
    var taken = LoopTurn.Taken()
    let answers = (0..<pieces + 2).map { _ in turn.takes(buffer, &taken) }
    #expect(answers == (0..<pieces + 2).map { $0 == pieces - 1 })
  }

  @Test("short pieces count for 512 bytes each")
  func short() {
    let turn = LoopTurn(buffer: 8_192)
    var taken = LoopTurn.Taken()
    #expect((1...200).first { _ in turn.takes(1, &taken) } == 128)
  }

  @Test("who has paused goes on with the next turn, and has all of it")
  func next() {
    let turn = LoopTurn(buffer: 8_192)
    var taken = LoopTurn.Taken()
    #expect(turn.takes(70_000, &taken))
    let id: Exchange.ID = 7
    turn.pause(id)
    #expect(turn.hasPaused)
    #expect(turn.next() == [id])
    #expect(!turn.hasPaused)
    #expect(!turn.takes(60_000, &taken))
    #expect(turn.takes(6_000, &taken))
  }
}
