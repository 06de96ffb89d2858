import Connecting
import Enriching
import Fetching
import Logging
import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Working

@Suite("A cancelled worker", .timeLimit(.minutes(1)))
struct CancellationTests {
  @Test("publishes no result of what it had not done, and gives it back") func givesBack() async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let queues = Queues()
        func queue(_ name: String) throws(QueueError) -> any Queue {
          try queues.open("sqlite:\(folder.path)/queues.db?queue=\(name)", defaultQueue: name)
        }
        let (source, target) = (try queue("incoming"), try queue("enriched"))
        let message = Message(id: "1", body: Self.payload(naming: server.url(.silent)))
        try await source.publish([message])
        let worker = Worker(
          enricher: try Enricher(settings: Self.settings(reaching: server, store: folder)), from: source,
          to: target, deadLetters: try queue("dead-letters"), settings: WorkSettings(),
          log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
        let work = Task { try await worker.run() }
        #expect(await eventually { server.connections == 1 })
        work.cancel()
        try await work.value
        #expect(try await target.isEmpty)
        #expect(try await source.receive(1, waitingUpTo: .zero)?.map(\.message) == [message])
      }
    }
  }

  private static func payload(naming url: String) -> [UInt8] {
    Array(#"{"aps":{"alert":"Hello","mutable-content":1},"media":"\#(url)"}"#.utf8)
  }

  private static func settings(
    reaching server: HostileServer, store: TemporaryDirectory
  ) throws -> EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.fetching.allowsHTTP = true
    settings.fetching.allowedPorts = [server.port]
    settings.fetching.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.0/8")])
    settings.store = store.path
    settings.publicURL = "https://cdn.example"
    settings.memory = .max
    return settings
  }
}
