import CLinux
import Supporting
import Testing

@testable import Fetching

/// The memory that libcurl keeps for names whose addresses it was given.
@Suite("Memory of names", .timeLimit(.minutes(5)))
struct AddressMemoryTests {
  private static let address = IPAddress("127.0.0.1")

  /// The bytes of the heap that are in use.
  private var used: Int { Int(mallinfo2().uordblks) }

  /// Runs in a process of its own, whose heap has nothing else in it.
  @Test("is freed with the transfer, whatever the name")
  func forgotten() async {
    await #expect(processExitsWith: .success) { try AddressMemoryTests().forget() }
  }

  private func forget() throws {
    let sockets = try SocketWatch()
    let multi = try CurlMultis(Connections(sockets), maximum: 8, lifetime: .max)
    var settings = FetchSettings()
    settings.allowsHTTP = true
    // Four thousand names would take nearly 2 MB.
    try (0..<100).forEach { try ask($0, multi, sockets, settings) }
    let before = used
    try (100..<4_100).forEach { try ask($0, multi, sockets, settings) }
    #expect(used - before < 500_000)
  }

  /// Asks for a host with a unique name, at a port on which nothing listens.
  private func ask(_ number: Int, _ multi: CurlMultis, _ sockets: SocketWatch, _ settings: FetchSettings)
    throws
  {
    let label = String(repeating: "a", count: 60)
    let url = try RemoteURL("http://\(number).\(label).\(label).\(label).example:1/")
    var easy = try EasyHandle()
    try easy.apply(
      settings, to: URLParts(url.root.text), target: url.target,
      headers: CurlList(EasyHandle.requestHeaders(settings)))
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
