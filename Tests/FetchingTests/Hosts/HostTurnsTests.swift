import Testing

@testable import Fetching

/// When more is taken up.
@Suite("Taking up payloads")
struct HostTurnsTests {
  @Test("waits until those before have been begun") func newcomers() async {
    let turns = HostTurns(limits: .small)
    #expect(turns.isOpen)
    turns.look(hasNewcomers: true)
    #expect(!turns.isOpen)
    let opening = Task {
      await turns.opening()
      return turns.isOpen
    }
    while !turns.isWaited { await Task.yield() }
    turns.look(hasNewcomers: true)
    turns.look(hasNewcomers: false)
    #expect(await opening.value)
  }
}
