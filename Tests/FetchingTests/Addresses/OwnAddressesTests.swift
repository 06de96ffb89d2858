import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Fetching

@Suite("Addresses of this machine")
struct OwnAddressesTests {
  private let start = ContinuousClock.now

  @Test("are the addresses of its interfaces")
  func system() throws {
    for (text, isOwn) in [("127.0.0.1", true), ("127.0.0.2", false), ("93.184.216.34", false), ("::", false)]
    {
      #expect(OwnAddresses.system.contains(try #require(IPAddress(text))) == isOwn, "\(text)")
    }
    // A line of proc_net(5) starts with 32 digits. Without IPv6 the file does not exist.
    let list = (try? Files.read("/proc/net/if_inet6")) ?? []
    for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
      let address = IPAddress(family: .v6, value: try #require(UInt128(line.prefix(32), radix: 16)))
      #expect(OwnAddresses.system.contains(address), "\(address)")
    }
  }

  @Test("are refused in whatever form although they are public, unless they are allowed")
  func refused() throws {
    let address = try #require(IPAddress("93.184.216.34"))
    let own = OwnAddresses { [address] }
    let expected = SpecialRange(range: AddressRange(address), purpose: "of this machine")
    let policy = AddressPolicy(own: own)
    for form in ["93.184.216.34", "::ffff:93.184.216.34", "2606:4700::5efe:93.184.216.34"] {
      #expect(policy.refusal(of: try #require(IPAddress(form))) == expected, "\(form)")
    }
    #expect(policy.refusal(of: try #require(IPAddress("93.184.216.35"))) == nil)
    let lifted = AddressPolicy(allowing: [try AddressRange("93.184.216.0/24")], own: own)
    #expect(lifted.refusal(of: address) == nil)
    // The reason of the table has precedence.
    let loopback = try #require(IPAddress("127.0.0.1"))
    #expect(AddressPolicy().refusal(of: loopback)?.purpose == "loopback")
  }

  @Test("are read again after a second, and kept if that fails")
  func age() throws {
    let address = try #require(IPAddress("93.184.216.34"))
    let now = Mutex<Set<IPAddress>?>([])
    let own = OwnAddresses { now.withLock { $0 } }
    #expect(!own.contains(address, at: start))
    now.withLock { $0 = [address] }
    #expect(!own.contains(address, at: start + OwnAddresses.age - .nanoseconds(1)))
    #expect(own.contains(address, at: start + OwnAddresses.age))
    now.withLock { $0 = nil }
    #expect(own.contains(address, at: start + OwnAddresses.age * 2))
    now.withLock { $0 = [] }
    #expect(!own.contains(address, at: start + OwnAddresses.age * 3))
  }
}
