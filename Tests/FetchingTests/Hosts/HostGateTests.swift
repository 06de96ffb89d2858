import TestSupport
import Testing

@testable import Fetching

@Suite("Host gate")
struct HostGateTests {
  @Test("more payloads are taken up once all names have been tried") func newcomers() async {
    let gate = HostGate(limits: .small)
    #expect(gate.isOpen)
    gate.tick(hasNewNames: true)
    #expect(!gate.isOpen)
    let opening = Task {
      await gate.waitUntilOpen()
      return gate.isOpen
    }
    while !gate.needsTicks { await Task.yield() }
    gate.tick(hasNewNames: true)
    gate.tick(hasNewNames: false)
    #expect(await opening.value)
  }

  @Test("a cancelled task does not wait for it to open", .timeLimit(.minutes(1))) func cancelled() async {
    let gate = HostGate(limits: .small)
    gate.tick(hasNewNames: true)
    let opening = Task { await gate.waitUntilOpen() }
    while !gate.needsTicks { await Task.yield() }
    opening.cancel()
    await opening.value
    #expect(!gate.needsTicks)
  }

  @Test("no more payloads are taken up while names wait that have not been tried", .timeLimit(.minutes(2)))
  func silentNames() async throws {
    let hosts = (0..<320).map { "silent-\($0).example" }
    try await withNameServer(Dictionary(uniqueKeysWithValues: hosts.map { ($0, .silence) })) { names in
      var settings = FetchSettings()
      settings.nameServers = names.address
      settings.hosts = HostLimits()
      let fetcher = try Fetcher(settings: settings)
      #expect(fetcher.isOpen)
      await withTaskGroup(of: Void.self) { group in
        for host in hosts {
          group.addTask { _ = await fetcher.get("https://\(host)/") }
        }
        // 16 of them at a time, for half a second each.
        while fetcher.isOpen { await Task.yield() }
        group.cancelAll()
        await fetcher.waitUntilOpen()
      }
      #expect(fetcher.isOpen)
    }
  }

  @Test("a URL that is refused anyway waits for no permit") func refusedURLs() async throws {
    var settings = FetchSettings()
    settings.hosts = HostLimits()
    let fetcher = try Fetcher(settings: settings)
    let url = try RemoteURL("http://media.example/")
    await #expect(throws: FetchError.schemeNotAllowed("http")) {
      _ = try await fetcher.permit(for: url, journal: FetchJournal(), bytes: 0) {}
    }
  }
}
