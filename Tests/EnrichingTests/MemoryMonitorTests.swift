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
}
