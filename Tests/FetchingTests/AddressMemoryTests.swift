import CLinux
import Supporting
import Testing

@testable import Fetching

/// What libcurl keeps of the names that it was told the addresses of.
@Suite("Memory of names", .timeLimit(.minutes(2)))
struct AddressMemoryTests {
  private static let address = IPAddress("127.0.0.1")

  /// Bytes of the heap that are in use.
  private var used: Int { Int(mallinfo2().uordblks) }

  /// In a process of its own, whose heap has nothing else.
  @Test("is given back with the transfer, whatever the name")
  func forgotten() async {
    await #expect(processExitsWith: .success) { try AddressMemoryTests().forget() }
  }

  private func forget() throws {
    let sockets = try SocketWatch()
    let multi = try CurlMultis(Connections(sockets), maximum: 8, lifetime: .max)
    var settings = FetchSettings()
    settings.allowsHTTP = true
    // Four thousand would take nearly 2 MB.
    try (0..<100).forEach { try ask($0, multi, sockets, settings) }
    let before = used
    try (100..<4_100).forEach { try ask($0, multi, sockets, settings) }
    #expect(used - before < 500_000)
  }

  /// Asks a host with a name of its own at a port where nobody listens.
  private func ask(_ number: Int, _ multi: CurlMultis, _ sockets: SocketWatch, _ settings: FetchSettings)
    throws
  {
    let label = String(repeating: "a", count: 60)
    let url = try RemoteURL("http://\(number).\(label).\(label).\(label).example:1/")
    var easy = try EasyHandle()
    try easy.apply(
      settings, to: URLParts(url.root.text), target: url.target, headers: CurlList(EasyHandle.requestHeaders))
    try easy.pin(url, to: [try #require(Self.address)])
    let isAdded = multi.add(easy)
    #expect(isAdded)
    while unsafe multi.nextEnded() == nil {
      multi.act(at: .now)
      for event in sockets.wait(1) { multi.act(on: event) }
    }
    multi.remove(easy)
  }
}
