import Synchronization
import Testing

@testable import Enriching

@Suite("MemoryMonitor")
struct MemoryMonitorTests {
  @Test("the memory is exceeded if the process uses more than the limit") func exceeded() {
    #expect(MemoryMonitor(total: 1).isExceeded)
    #expect(!MemoryMonitor(total: .max).isExceeded)
  }

  @Test("it takes a sample at the first bytes, and at every call while the memory is exceeded") func samples()
  {
    let exceeded = MemoryMonitor(total: 1)
    for _ in 0..<3 { #expect(exceeded.isExceeded(after: 1)) }
    let other = MemoryMonitor(total: .max)
    for count in [1, 1, 1_000_000, 1] { #expect(!other.isExceeded(after: count)) }
  }

  @Test(
    "there is room for another transfer up to seven eighths of the memory, less what handshakes need",
    arguments: [
      (10_500_000, 0, true), (10_500_001, 0, false), (10_500_000, 11, true), (10_500_000, 12, false),
      (3_000_000, 136, true), (3_000_000, 137, false), (12_000_000, 0, false), (0, 187, false),
    ])
  func room(bytes: Int, handshakes: Int, hasRoom: Bool) {
    let memory = MemoryMonitor(total: 20_000_000, planned: 12_000_000) { bytes }
    for _ in 0..<20 { #expect(memory.hasRoom(besides: handshakes) == hasRoom) }
  }

  @Test(
    "an overdue transfer begins if memory is short, but only if the handshakes fit",
    arguments: [(10_500_001, 0, true), (11_190_000, 0, true), (11_190_001, 0, false), (11_130_001, 1, false)])
  func overdue(bytes: Int, handshakes: Int, hasRoom: Bool) {
    let memory = MemoryMonitor(total: 20_000_000, planned: 12_000_000) { bytes }
    for _ in 0..<20 { #expect(memory.hasRoom(besides: handshakes, isOverdue: true) == hasRoom) }
  }

  @Test(
    "there is never room in no memory, and always in unlimited memory", arguments: [(0, false), (.max, true)])
  func extremes(total: Int, hasRoom: Bool) {
    #expect(MemoryMonitor(total: total) { 1 }.hasRoom(besides: 64) == hasRoom)
  }

  @Test("without handshakes it takes a sample at every eighth call, until memory is short") func sampling() {
    let state = Mutex((bytes: 0, samples: 0))
    let memory = MemoryMonitor(total: 12_000_000) {
      state.withLock {
        $0.samples += 1
        return $0.bytes
      }
    }
    for _ in 0..<16 { #expect(memory.hasRoom(besides: 0)) }
    #expect(state.withLock { $0.samples } == 2)
    state.withLock { $0.bytes = 11_000_000 }
    let answers = (0..<16).map { _ in memory.hasRoom(besides: 0) }
    #expect(answers == Array(repeating: false, count: 16))
    state.withLock { $0.bytes = 8_000_000 }
    #expect(memory.hasRoom(besides: 0))
  }

  @Test(
    "memory is plenty until it is seen to be short", arguments: [(10_500_000, true), (10_500_001, false)])
  func plenty(bytes: Int, isPlenty: Bool) {
    let memory = MemoryMonitor(total: 12_000_000) { bytes }
    #expect(memory.isPlenty)
    #expect(!memory.isExceeded)
    #expect(memory.isPlenty == isPlenty)
  }
}
