import BuiltInQueueing
import Enriching
import Fetching
import Logging
import Misbehaving
import Queueing
import Storing
import TestSupport
import Testing

@testable import Working

/// `--when-store-fails wait` with a store on another machine.
@Suite("Waiting for a store over a network", .timeLimit(.minutes(2)))
struct NetworkStoreTests {
  /// How the store fails.
  enum Outage: CaseIterable, Sendable {
    case refuses, hangs

    func mood(until end: Latch) -> Bucket.Mood {
      switch self {
      case .refuses: .init(error: .other("the bucket answered 503", advice: "wait", extent: .forNow))
      case .hangs: .init(heldBy: end)
      }
    }

    /// Short if the store hangs, because that is noticed only at the deadline.
    var deadline: Duration { self == .hangs ? .seconds(6) : .seconds(30) }
  }

  @Test("uses up no backlog, and loses nothing", arguments: Outage.allCases) func waits(outage: Outage)
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let queues = Queues()
        func queue(_ name: String) throws(QueueError) -> any Queue {
          try queues.open("sqlite:\(folder.path)/queues.db?queue=\(name)", defaultQueue: name)
        }
        let (source, target) = (try queue("incoming"), try queue("enriched"))
        let bucket = Bucket(spools: folder.path)
        let end = Latch()
        bucket.change { _ in outage.mood(until: end) }
        let status = WorkStatus()
        var workSettings = WorkSettings()
        workSettings.waitsForStore = true
        let worker = Worker(
          enricher: try Enricher(settings: Self.settings(reaching: server, bucket, outage.deadline)),
          from: source, to: target, deadLetters: try queue("dead-letters"), settings: workSettings,
          log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }), status: status)
        let url = server.url(.serve(.file("photo.jpg", "image/jpeg")))
        let messages = (0..<40).map { number in
          Message(
            id: "\(number)",
            body: Array(
              #"{"n":\#(number),"aps":{"alert":"Hello","mutable-content":1},"media":"\#(url)"}"#.utf8))
        }
        try await source.publish(messages)
        let work = Task { try await worker.run() }
        #expect(await eventually { status.isWaitingForStore })
        try await Task.sleep(for: .seconds(4))
        let unmodified = try await target.browse(100)
        // The first three failures of the payloads that were in flight at once.
        #expect(unmodified.count <= 3)
        for message in unmodified { #expect(messages.contains { $0.body == message.body }) }
        bucket.change { _ in .init() }
        end.open()
        #expect(try await eventually { try await target.browse(100).count == messages.count })
        #expect(await eventually { !status.isWaitingForStore })
        work.cancel()
        try await work.value
        let all = try await target.browse(100)
        #expect(Set(all.map(\.id)) == Set(messages.map(\.id)))
        #expect(all.count { message in !messages.contains { $0.body == message.body } } >= 37)
        #expect(bucket.names.count == 1)
      }
    }
  }

  private static func settings(
    reaching server: HostileServer, _ bucket: Bucket, _ deadline: Duration
  ) throws -> EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.fetching.allowsHTTP = true
    settings.fetching.allowedPorts = [server.port]
    settings.fetching.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.0/8")])
    settings.store = Bucket.place
    settings.stores = [bucket.kind] + settings.stores
    settings.deadline = deadline
    settings.memory = .max
    return settings
  }
}
