import Synchronization
import Testing

@testable import Enriching

@Suite("MemoryMonitor")
struct MemoryMonitorTests {
  @Test("the memory is exceeded if the process has more than the limit") func exceeded() {
    #expect(MemoryMonitor(total: 1).isExceeded)
    #expect(!MemoryMonitor(total: .max).isExceeded)
  }

  @Test("it is sampled with the first bytes, and for as long as it is exceeded") func samples() {
    let exceeded = MemoryMonitor(total: 1)
    for _ in 0..<3 { #expect(exceeded.isExceeded(after: 1)) }
    let other = MemoryMonitor(total: .max)
    for count in [1, 1, 1_000_000, 1] { #expect(!other.isExceeded(after: count)) }
  }

  @Test(
    "there is room for another transfer up to three quarters of the memory, and for what handshakes take",
    arguments: [
      (9_000_000, 0, true), (9_000_001, 0, false), (9_000_000, 36, true), (9_000_000, 37, false),
      (3_000_000, 136, true), (3_000_000, 137, false), (12_000_000, 0, false), (0, 187, false),
    ])
  func room(bytes: Int, handshakes: Int, hasRoom: Bool) {
    let memory = MemoryMonitor(total: 20_000_000, planned: 12_000_000) { bytes }
    for _ in 0..<20 { #expect(memory.hasRoom(besides: handshakes) == hasRoom) }
  }

  @Test("no memory and all of it", arguments: [(0, false), (.max, true)])
  func extremes(total: Int, hasRoom: Bool) {
    #expect(MemoryMonitor(total: total) { 1 }.hasRoom(besides: 64) == hasRoom)
  }

  @Test("without handshakes it is sampled with every eighth question, until it is short") func sampling() {
    let state = Mutex((bytes: 0, samples: 0))
    let memory = MemoryMonitor(total: 12_000_000) {
      state.withLock {
        $0.samples += 1
        return $0.bytes
      }
    }
    for _ in 0..<16 { #expect(memory.hasRoom(besides: 0)) }
    #expect(state.withLock { $0.samples } == 2)
    state.withLock { $0.bytes = 10_000_000 }
    let answers = (0..<16).map { _ in memory.hasRoom(besides: 0) }
    #expect(answers == Array(repeating: false, count: 16))
    state.withLock { $0.bytes = 8_000_000 }
    #expect(memory.hasRoom(besides: 0))
  }

  @Test("memory is plenty until it is seen to be short", arguments: [(9_000_000, true), (9_000_001, false)])
  func plenty(bytes: Int, isPlenty: Bool) {
    let memory = MemoryMonitor(total: 12_000_000) { bytes }
    #expect(memory.isPlenty)
    #expect(!memory.isExceeded)
    #expect(memory.isPlenty == isPlenty)
  }
}
