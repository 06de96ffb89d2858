import Testing

@testable import Fetching

@Suite("The ports that fetches connect to")
struct PortsTests {
  @Test(
    "are the ports of servers and of name servers",
    arguments: [
      (false, [], nil, [53, 443]),
      (true, [8443, 8080], nil, [53, 80, 443, 8080, 8443]),
      (false, [], "9.9.9.9", [53, 443]),
      (false, [], "127.0.0.1:5353,[::1]:54,2001:db8::53", [53, 54, 443, 5353]),
    ] as [(Bool, Set<Int>, String?, Set<Int>)])
  func ports(allowsHTTP: Bool, allowed: Set<Int>, nameServers: String?, ports: Set<Int>) {
    var settings = FetchSettings()
    settings.allowsHTTP = allowsHTTP
    settings.allowedPorts = allowed
    settings.nameServers = nameServers
    #expect(settings.ports == ports)
  }
}
