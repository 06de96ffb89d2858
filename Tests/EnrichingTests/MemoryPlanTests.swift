import Fetching
import Testing

@testable import Enriching

@Suite("MemoryPlan")
struct MemoryPlanTests {
  /// A plan with memory for `count` transfers over HTTP/1.1 and their buffers, and nearly enough
  /// for one more.
  private static func plan(fitting count: Int, concurrency: Int) -> MemoryPlan {
    MemoryPlan(
      total: total(MemoryPlan.process + count * (MemoryPlan.transfer + 1_000)) + 999, buffer: 1_000,
      concurrency: concurrency)
  }

  /// The total that a plan needs in order to distribute `bytes`.
  private static func total(_ bytes: Int) -> Int { (bytes * 16 + 14) / 15 }

  @Test(
    "admits as many transfers as fit, and never more than the concurrency",
    arguments: [(10, 64, 10), (10, 10, 10), (64, 64, 64), (1, 64, 1), (0, 64, 0)])
  func slots(fitting: Int, concurrency: Int, admitted: Int) {
    let plan = Self.plan(fitting: fitting, concurrency: concurrency)
    #expect(plan.slots == admitted)
    #expect(!plan.offersHTTP2)
  }

  @Test("offers HTTP/2 if there is memory for all transfers over it")
  func multiplexing() {
    let each = MemoryPlan.transfer + MemoryPlan.multiplexing
    #expect(
      MemoryPlan(total: Self.total(MemoryPlan.process + 8 * each), buffer: 0, concurrency: 8).offersHTTP2)
    #expect(
      !MemoryPlan(total: Self.total(MemoryPlan.process + 8 * each) - 2, buffer: 0, concurrency: 8).offersHTTP2
    )
    #expect(MemoryPlan(total: .max, buffer: 0, concurrency: 64).offersHTTP2)
  }

  @Test("without enough memory there are no slots", arguments: [0, 1, MemoryPlan.process])
  func none(total: Int) {
    #expect(MemoryPlan(total: total, buffer: 16_384, concurrency: 64).slots == 0)
  }

  @Test("12 MB are enough for 64 downloads at once, as README says")
  func promise() {
    for (hasCache, hasKeys) in [(false, false), (true, false), (false, true), (true, true)] {
      #expect(Self.plan(megabytes: 12, concurrency: 64, hasCache: hasCache, hasKeys: hasKeys).slots == 64)
    }
  }

  @Test("HTTP/2 next to a cache needs more than 21 MB", arguments: [(21, false), (23, true)])
  func multiplexingBesideCache(megabytes: Int, isOffered: Bool) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasCache: true).offersHTTP2 == isOffered)
  }

  @Test("HTTP/2 fits next to decryption from 23 MB on", arguments: [(22, false), (23, true)])
  func multiplexingBesideKeys(megabytes: Int, isOffered: Bool) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasKeys: true).offersHTTP2 == isOffered)
  }

  @Test(
    "transfers ask the monitor whether there is room", arguments: [(10_500_000, true), (10_500_001, false)])
  func asking(bytes: Int, hasRoom: Bool) {
    let memory = MemoryMonitor(total: 12_000_000) { bytes }
    let plan = Self.plan(megabytes: 12, concurrency: 64)
    #expect(EnrichmentSettings().fetchSettings(plan, memory).hasRoom(0, false) == hasRoom)
  }

  @Test("if memory is scarce, a cache leaves fewer slots", arguments: [(4, 0), (5, 3), (6, 20)])
  func cache(megabytes: Int, slots: Int) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasCache: true).slots == slots)
  }

  @Test("if memory is scarce, keys leave fewer slots", arguments: [(4, 3), (5, 12)])
  func keys(megabytes: Int, slots: Int) {
    #expect(Self.plan(megabytes: megabytes, concurrency: 64, hasKeys: true).slots == slots)
  }

  @Test(
    "HTTP/2 is offered from this much memory on, as README says",
    arguments: [(64, 20, false), (64, 21, true), (32, 11, false), (32, 12, true)])
  func promisedHTTP2(concurrency: Int, megabytes: Int, isOffered: Bool) {
    #expect(Self.plan(megabytes: megabytes, concurrency: concurrency).offersHTTP2 == isOffered)
  }

  @Test(
    "fewer transfers get larger receive buffers",
    arguments: [(1, 65_536), (8, 65_536), (32, 16_384), (64, 8_192), (1_024, 8_192)])
  func buffers(concurrency: Int, bytes: Int) {
    #expect(EnrichmentSettings.receiveBufferBytes(for: concurrency) == bytes)
  }

  /// The plan of `work`.
  private static func plan(
    megabytes: Int, concurrency: Int, hasCache: Bool = false, hasKeys: Bool = false
  ) -> MemoryPlan {
    MemoryPlan(
      total: megabytes * 1_000_000, buffer: EnrichmentSettings.receiveBufferBytes(for: concurrency),
      concurrency: concurrency, hasCache: hasCache, hasKeys: hasKeys)
  }
}
