import TestSupport
import Testing

@testable import Fetching

/// When more is taken up.
@Suite("Taking up payloads")
struct HostTurnsTests {
  @Test("waits until those before have been begun") func newcomers() async {
    let turns = HostTurns(limits: .small)
    #expect(turns.isOpen)
    turns.look(hasNewcomers: true)
    #expect(!turns.isOpen)
    let opening = Task {
      await turns.opening()
      return turns.isOpen
    }
    while !turns.isWaited { await Task.yield() }
    turns.look(hasNewcomers: true)
    turns.look(hasNewcomers: false)
    #expect(await opening.value)
  }

  @Test("is what names that have not been looked up yet wait for", .timeLimit(.minutes(2)))
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
        await fetcher.opening()
      }
      #expect(fetcher.isOpen)
    }
  }

  @Test("no turn is waited for with a URL that is refused anyway") func refusedURLs() async throws {
    var settings = FetchSettings()
    settings.hosts = HostLimits()
    let fetcher = try Fetcher(settings: settings)
    await #expect(throws: FetchError.schemeNotAllowed("http")) {
      _ = try await fetcher.turn(for: "http://media.example/", journal: FetchJournal(), bytes: 0) {}
    }
  }
}
