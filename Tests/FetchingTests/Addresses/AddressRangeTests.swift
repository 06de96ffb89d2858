import Fetching
import Supporting
import Testing

@Suite("AddressRange and IPAddress")
struct AddressRangeTests {
  @Test(
    "ranges are parsed, and written in the same way",
    arguments: [
      ("10.0.0.0/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3/32"), ("0.0.0.0/0", "0.0.0.0/0"), ("::/0", "::/0"),
      ("fc00::/7", "fc00::/7"), ("2001:DB8:0:0::1", "2001:db8::1/128"),
      ("255.255.255.255/32", "255.255.255.255/32"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
      ("::ffff:10.1.2.3", "10.1.2.3/32"), ("::ffff:0:0/96", "0.0.0.0/0"), ("::/95", "::/95"),
    ])
  func reading(text: String, description: String) throws {
    #expect(try AddressRange(text).description == description)
  }

  @Test(
    "a wrong range is refused with what would be right",
    arguments: [
      ("", AddressRangeError.noAddress("")), ("/8", .noAddress("/8")), ("loopback", .noAddress("loopback")),
      ("10.0.0/8", .noAddress("10.0.0/8")), ("010.0.0.0/8", .noAddress("010.0.0.0/8")),
      ("[::1]/128", .noAddress("[::1]/128")), ("fe80::1%lo", .noAddress("fe80::1%lo")),
      ("10.0.0.0/", .noPrefixLength("10.0.0.0/", maximum: 32)),
      ("10.0.0.0/33", .noPrefixLength("10.0.0.0/33", maximum: 32)),
      ("10.0.0.0/-1", .noPrefixLength("10.0.0.0/-1", maximum: 32)),
      ("10.0.0.0/8/8", .noPrefixLength("10.0.0.0/8/8", maximum: 32)),
      ("10.0.0.0/255.0.0.0", .noPrefixLength("10.0.0.0/255.0.0.0", maximum: 32)),
      ("::/129", .noPrefixLength("::/129", maximum: 128)),
      ("10.0.0.1/8", .bitsBehindPrefix("10.0.0.1/8", right: "10.0.0.0/8")),
      ("0.0.0.1/0", .bitsBehindPrefix("0.0.0.1/0", right: "0.0.0.0/0")),
      ("::1/0", .bitsBehindPrefix("::1/0", right: "::/0")),
      ("fd00::1/64", .bitsBehindPrefix("fd00::1/64", right: "fd00::/64")),
    ])
  func errors(text: String, error: AddressRangeError) {
    #expect(throws: error) { try AddressRange(text) }
    #expect(error.description.hasPrefix("'\(text)' "))
  }

  @Test("a range contains only addresses of its own family")
  func families() throws {
    let everything = try AddressRange("0.0.0.0/0")
    #expect(everything.contains(IPAddress(family: .v4, value: 0x7f00_0001)))
    #expect(!everything.contains(IPAddress(family: .v6, value: 0x7f00_0001)))
    #expect(try AddressRange("::/0").contains(IPAddress(family: .v6, value: .max)))
  }

  @Test(
    "addresses are written as inet_ntop writes them",
    arguments: [
      "0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1", "2001:db8::1", "::ffff:10.0.0.1",
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ])
  func spelling(text: String) throws {
    #expect(try #require(IPAddress(text)).description == text)
  }

  /// A stored UInt128 would crash the process there (Swift 6.3.1).
  @Test("ranges and addresses can be stack arguments of async functions")
  func asynchronously() async throws {
    #expect(await Self.spelling(1, 2, 3, try AddressRange("fd00::/64")) == "fd00::/64")
  }

  // The isolation, three numbers and the address family fill the registers. The rest is on the
  // stack.
  @inline(never)
  private static func spelling(
    _ first: Int, _ second: Int, _ third: Int, _ range: AddressRange
  ) async -> String {
    let sum = await sum(first, second, third, 4, 5, 6, 7, 8)
    return sum == 36 ? range.description : ""
  }

  @inline(never)
  private static func sum(
    _ first: Int, _ second: Int, _ third: Int, _ fourth: Int, _ fifth: Int, _ sixth: Int, _ seventh: Int,
    _ eighth: Int
  ) async -> Int {
    await Task.yield()
    return [first, second, third, fourth, fifth, sixth, seventh, eighth].reduce(0, +)
  }

  @Test(
    "other spellings are not addresses",
    arguments: [
      "", "1", "127.1", "0x7f.0.0.1", "127.0.0.1.", " 127.0.0.1", "127.0.0.256", "[::1]", "::1%1", "1::2::3",
      "localhost", "10.0.0.0\0x", "::1\0",
    ])
  func others(text: String) {
    #expect(IPAddress(text) == nil)
  }
}
