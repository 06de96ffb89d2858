import BuiltInQueueing
import Enriching
import Fetching
import Logging
import Measuring
import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Working

@Suite("A cancelled worker", .timeLimit(.minutes(5)))
struct CancellationTests {
  /// The tasks of the deliveries that are done first are reused. They must not publish the other
  /// deliveries as if their deadline had passed.
  @Test("publishes no results of unfinished deliveries, and gives them back", arguments: [(0, 1), (24, 24)])
  func givesBack(done: Int, begun: Int) async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let queues = Queues()
        func queue(_ name: String) throws(QueueError) -> any Queue {
          try queues.open("sqlite:\(folder.path)/queues.db?queue=\(name)", defaultQueue: name)
        }
        let (source, target) = (try queue("incoming"), try queue("enriched"))
        let measurements = Measurements()
        let worker = Worker(
          enricher: try Enricher(settings: Self.settings(reaching: server, store: folder)), from: source,
          to: target, deadLetters: try queue("dead-letters"), settings: WorkSettings(),
          log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }),
          measurements: measurements)
        let work = Task { try await worker.run() }
        try await source.publish((0..<done).map { Self.message("done-\($0)", naming: "ftp://a.example/") })
        #expect(try await eventually { try await target.browse(100).count == done })
        let messages = (0..<begun).map { Self.message("begun-\($0)", naming: server.url(.silent)) }
        try await source.publish(messages)
        // Not all of them: some may have to wait until the host has answered the first ones.
        #expect(await eventually { server.connections > 0 && measurements.tally().inFlight >= min(begun, 8) })
        work.cancel()
        try await work.value
        #expect(try await target.browse(100).count == done)
        var back: [String] = []
        while let some = try await source.receive(100, waitingUpTo: .zero), !some.isEmpty {
          back += some.map(\.message.id)
        }
        #expect(back.sorted() == messages.map(\.id).sorted())
      }
    }
  }

  private static func message(_ id: String, naming url: String) -> Message {
    Message(id: id, body: payload(naming: url))
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
