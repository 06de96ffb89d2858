import Fetching
import Testing

@testable import Enriching

@Suite("MemoryPlan")
struct MemoryPlanTests {
  /// For transfers over HTTP/1.1, beside `buffer`, with a bit that is too little for one more.
  private static func plan(fitting count: Int, concurrency: Int) -> MemoryPlan {
    MemoryPlan(
      total: total(MemoryPlan.process + count * (MemoryPlan.transfer + 1_000)) + 999, buffer: 1_000,
      concurrency: concurrency)
  }

  /// What a plan needs to have `bytes` to share out.
  private static func total(_ bytes: Int) -> Int { (bytes * 16 + 14) / 15 }

  @Test(
    "admits what fits, and never more than the concurrency",
    arguments: [(10, 64, 10), (10, 10, 10), (64, 64, 64), (1, 64, 1), (0, 64, 0)])
  func slots(fitting: Int, concurrency: Int, admitted: Int) {
    let plan = Self.plan(fitting: fitting, concurrency: concurrency)
    #expect(plan.slots == admitted)
    #expect(!plan.offersHTTP2)
  }

  @Test("offers HTTP/2 where there is memory for it however many there are")
  func multiplexing() {
    let each = MemoryPlan.transfer + MemoryPlan.multiplexing
    #expect(
      MemoryPlan(total: Self.total(MemoryPlan.process + 8 * each), buffer: 0, concurrency: 8).offersHTTP2)
    #expect(
      !MemoryPlan(total: Self.total(MemoryPlan.process + 8 * each) - 2, buffer: 0, concurrency: 8).offersHTTP2
    )
    #expect(MemoryPlan(total: .max, buffer: 0, concurrency: 64).offersHTTP2)
  }

  @Test("no memory is no slot", arguments: [0, 1, MemoryPlan.process])
  func none(total: Int) {
    #expect(MemoryPlan(total: total, buffer: 16_384, concurrency: 64).slots == 0)
  }

  @Test("12 MB are enough for 64 downloads at once, as the README has it")
  func promise() {
    for (hasCache, hasKeys) in [(false, false), (true, false), (false, true), (true, true)] {
      #expect(Self.plan(megabytes: 12, concurrency: 64, hasCache: hasCache, hasKeys: hasKeys).slots == 64)
    }
  }

  @Test("HTTP/2 has room beside a cache as well", arguments: [(21, false), (23, true)])
  func multiplexingBesideCache(megabytes: Int, isOffered: Bool) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasCache: true).offersHTTP2 == isOffered)
  }

  @Test("and beside what decrypting takes", arguments: [(22, false), (23, true)])
  func multiplexingBesideKeys(megabytes: Int, isOffered: Bool) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasKeys: true).offersHTTP2 == isOffered)
  }

  @Test(
    "transfers ask the monitor whether there is room", arguments: [(9_000_000, true), (9_000_001, false)])
  func asking(bytes: Int, hasRoom: Bool) {
    let memory = MemoryMonitor(total: 12_000_000) { bytes }
    let plan = Self.plan(megabytes: 12, concurrency: 64)
    #expect(EnrichmentSettings().fetchSettings(plan, memory).hasRoom(0) == hasRoom)
  }

  @Test("where there is memory for few, a cache leaves fewer", arguments: [(4, 0), (5, 3), (6, 20)])
  func cache(megabytes: Int, slots: Int) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasCache: true).slots == slots)
  }

  @Test("and so do keys", arguments: [(4, 3), (5, 12)])
  func keys(megabytes: Int, slots: Int) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasKeys: true).slots == slots)
  }

  @Test(
    "HTTP/2 is spoken from so much memory on, as the README has it",
    arguments: [(64, 20, false), (64, 21, true), (32, 11, false), (32, 12, true)])
  func promisedHTTP2(concurrency: Int, megabytes: Int, isOffered: Bool) {
    #expect(Self.plan(megabytes: megabytes, concurrency: concurrency).offersHTTP2 == isOffered)
  }

  @Test(
    "fewer have more to receive into",
    arguments: [(1, 65_536), (8, 65_536), (32, 16_384), (64, 8_192), (1_024, 8_192)])
  func buffers(concurrency: Int, bytes: Int) {
    #expect(EnrichmentSettings.receiveBufferBytes(for: concurrency) == bytes)
  }

  /// That of `work`.
  private static func plan(
    megabytes: Int, concurrency: Int, hasCache: Bool = false, hasKeys: Bool = false
  ) -> MemoryPlan {
    MemoryPlan(
      total: megabytes * 1_000_000, buffer: EnrichmentSettings.receiveBufferBytes(for: concurrency),
      concurrency: concurrency, hasCache: hasCache, hasKeys: hasKeys)
  }
}
