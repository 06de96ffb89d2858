import Supporting
import Testing

@testable import DeviceAPI

@Suite("Rates of addresses")
struct AddressRatesTests {
  private let start = MonotonicTime.now

  @Test("let 1,000 requests in at once, and then 100 a second") func burst() throws {
    let rates = AddressRates(at: start)
    let address = try #require(IPAddress("203.0.113.9"))
    let waits = (0..<1_001).map { _ in rates.wait(for: address, at: start) }
    #expect(waits.dropLast().allSatisfy { $0 == nil })
    #expect(waits.last == 11)
    #expect(rates.wait(for: address, at: start + .milliseconds(10)) == nil)
    #expect(rates.wait(for: address, at: start + .milliseconds(10)) != nil)
    #expect((0..<100).allSatisfy { _ in rates.wait(for: address, at: start + .milliseconds(1_010)) == nil })
    #expect(rates.wait(for: address, at: start + .milliseconds(1_010)) != nil)
    #expect((0..<1_000).allSatisfy { _ in rates.wait(for: address, at: start + .seconds(60)) == nil })
  }

  @Test("are those of a /64 of IPv6, and of an IPv4 address however it is written") func networks() throws {
    for (one, other, isSame) in [
      ("2001:db8::1", "2001:db8::ffff:2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
      ("203.0.113.9", "::ffff:203.0.113.9", true), ("203.0.113.9", "203.0.113.10", false),
    ] {
      // By chance, two addresses share an entry in one of 4,096 tables, so three tables are tried.
      let isShared = try (0..<3).allSatisfy { _ in
        let rates = AddressRates(at: start)
        let (one, other) = (try #require(IPAddress(one)), try #require(IPAddress(other)))
        for _ in 0..<1_000 { _ = rates.wait(for: one, at: start) }
        return rates.wait(for: other, at: start) != nil
      }
      #expect(isShared == isSame, "\(one) \(other)")
    }
  }

  @Test(
    "do not bind addresses behind which there may be all devices",
    arguments: [
      "127.0.0.1", "::1", "10.1.2.3", "172.31.255.255", "192.168.0.1", "100.127.0.1", "169.254.1.1",
      "fd00::1",
      "fe80::1", "::ffff:10.0.0.1",
    ])
  func proxies(address: String) throws {
    let (rates, address) = (AddressRates(at: start), try #require(IPAddress(address)))
    #expect((0..<5_000).allSatisfy { _ in rates.wait(for: address, at: start) == nil })
  }

  @Test(
    "bind all others", arguments: ["11.0.0.1", "172.32.0.1", "100.128.0.1", "2001:db8::1", "fec0::1", "::2"])
  func others(address: String) throws {
    let (rates, address) = (AddressRates(at: start), try #require(IPAddress(address)))
    #expect((0..<1_001).contains { _ in rates.wait(for: address, at: start) != nil })
  }

  @Test("of others stay as they are if somebody comes from a million addresses") func flood() throws {
    let rates = AddressRates(at: start)
    let mine = try #require(IPAddress("203.0.113.9"))
    for number in 0..<1_000_000 {
      _ = rates.wait(
        for: IPAddress(family: .v6, value: (0x2001_0db8 << 96) + UInt128(number) << 64), at: start)
    }
    #expect(rates.wait(for: mine, at: start) == nil)
  }
}
