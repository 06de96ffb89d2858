import Supporting
import Testing

@testable import Fetching

/// Which answers are kept and for how long, in simulated time.
@Suite("NameCache")
struct NameCacheTests {
  private let start = ContinuousClock.now
  private let moment = Duration.nanoseconds(1)

  private func answer(_ count: Int = 1, for lifetime: Duration) -> HostAddresses {
    HostAddresses(
      addresses: (0..<count).map { IPAddress(family: .v4, value: UInt128($0)) }, lifetime: lifetime)
  }

  @Test(
    "an answer is kept for its time to live, up to five minutes", arguments: [1, 60, 300, 301, 1 << 31])
  func lifetime(seconds: Int) {
    var cache = NameCache()
    cache.keep(answer(for: .seconds(seconds)), of: "a", at: start)
    let end = start + .seconds(min(seconds, 300))
    #expect(cache.addresses(of: "a", at: end - moment) == answer(for: .zero).addresses)
    #expect(cache.addresses(of: "a", at: end) == nil)
    #expect(cache.addresses(of: "b", at: start) == nil)
  }

  @Test("an answer that is good for one use, or very long, is not kept")
  func unkept() {
    var cache = NameCache()
    cache.keep(answer(for: .zero), of: "a", at: start)
    cache.keep(answer(17, for: .seconds(60)), of: "b", at: start)
    #expect(cache.count == 0)
    cache.keep(answer(16, for: .seconds(60)), of: "c", at: start)
    #expect(cache.addresses(of: "c", at: start)?.count == 16)
  }

  @Test("an address that accepts connections comes first from then on")
  func preference() {
    var cache = NameCache()
    let addresses = answer(3, for: .zero).addresses
    cache.keep(answer(3, for: .seconds(60)), of: "a", at: start)
    cache.prefer(addresses[2], of: "a")
    #expect(cache.addresses(of: "a", at: start) == [addresses[2], addresses[0], addresses[1]])
    cache.prefer(IPAddress(family: .v4, value: 3), of: "a")
    cache.prefer(addresses[0], of: "b")
    #expect(cache.addresses(of: "a", at: start) == [addresses[2], addresses[0], addresses[1]])
    #expect(cache.count == 1)
  }

  @Test("256 hosts are kept at most: expired ones go first, then those that expire soonest")
  func bounds() {
    var cache = NameCache()
    for number in 0..<256 { cache.keep(answer(for: .seconds(300 - number)), of: "\(number)", at: start) }
    cache.keep(answer(for: .seconds(60)), of: "a", at: start)
    #expect(cache.count == 256)
    #expect(cache.addresses(of: "255", at: start) == nil)
    #expect(cache.addresses(of: "254", at: start) != nil)
    cache.keep(answer(for: .seconds(60)), of: "b", at: start + .seconds(200))
    // 0 to 99 are left, and a has expired.
    #expect(cache.count == 101)
    for number in 1_000..<3_000 { cache.keep(answer(for: .seconds(60)), of: "\(number)", at: start) }
    #expect(cache.count == 256)
  }
}
