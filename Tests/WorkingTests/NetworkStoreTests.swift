import BuiltInQueueing
import Enriching
import Fetching
import Logging
import Misbehaving
import Queueing
import S3Storing
import Storing
import TestSupport
import Testing

@testable import Working

/// `--when-store-fails wait` with a store on another machine.
@Suite("Waiting for a store over a network", .timeLimit(.minutes(5)))
struct NetworkStoreTests {
  /// How the store fails.
  enum Outage: CaseIterable, Sendable {
    case refuses, hangs

    func fault(until end: Latch) -> S3Fault {
      switch self {
      case .refuses: .refuses(.slowDown)
      case .hangs: .waits(end)
      }
    }

    /// How many requests for the test object show that the worker is waiting. An attempt that is refused
    /// takes three requests. An attempt that hangs ends after two seconds, and another one follows.
    var tries: Int { self == .hangs ? 2 : 9 }

    /// Short if the store hangs, because that is noticed only at the deadline. Long enough to get to the store.
    var deadline: Duration { self == .hangs ? .seconds(10) : .seconds(30) }
  }

  @Test("uses up no backlog, and loses nothing", arguments: Outage.allCases) func waits(outage: Outage)
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        try await withS3Server { bucket in
          let queues = Queues()
          func queue(_ name: String) throws(QueueError) -> any Queue {
            try queues.open("sqlite:\(folder.path)/queues.db?queue=\(name)", defaultQueue: name)
          }
          let (source, target) = (try queue("incoming"), try queue("enriched"))
          let end = Latch()
          let status = WorkStatus()
          var workSettings = WorkSettings()
          workSettings.waitsForStore = true
          let worker = Worker(
            enricher: try Enricher(
              settings: Self.settings(reaching: server, bucket, folder, outage.deadline)),
            from: source, to: target, deadLetters: try queue("dead-letters"), settings: workSettings,
            log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }), status: status)
          let url = server.url(.serve(.file("photo.jpg", "image/jpeg")))
          let messages = (0..<40).map { number in
            Message(
              id: "\(number)",
              body: Array(
                #"{"n":\#(number),"aps":{"alert":"Hello","mutable-content":1},"media":"\#(url)"}"#.utf8))
          }
          let work = Task { try await worker.run() }
          // The worker has found that the store works, so it takes all messages at once.
          #expect(await eventually { bucket.questions.contains { $0.status == 200 } })
          bucket.plan(outage.fault(until: end))
          try await source.publish(messages)
          #expect(await eventually { status.isWaitingForStore })
          // The worker tries the store again and again.
          let before = Self.tries(bucket)
          #expect(await eventually { Self.tries(bucket) >= before + outage.tries })
          let unmodified = try await target.browse(100)
          // The payloads were in flight at once. The first three that failed went out.
          #expect(unmodified.count == 3)
          for message in unmodified { #expect(messages.contains { $0.body == message.body }) }
          bucket.recover()
          end.open()
          #expect(try await eventually { try await target.browse(100).count == messages.count })
          #expect(await eventually { !status.isWaitingForStore })
          work.cancel()
          try await work.value
          let all = try await target.browse(100)
          #expect(Set(all.map(\.id)) == Set(messages.map(\.id)))
          #expect(all.count { message in !messages.contains { $0.body == message.body } } == 37)
          #expect(bucket.media.count == 1)
        }
      }
    }
  }

  private static func tries(_ bucket: S3Server) -> Int {
    bucket.questions.count { $0.key.hasSuffix(S3Server.trialName) }
  }

  private static func settings(
    reaching server: HostileServer, _ bucket: S3Server, _ spool: TemporaryDirectory,
    _ deadline: Duration
  ) throws -> EnrichmentSettings {
    var settings = EnrichmentSettings()
    settings.fetching.allowsHTTP = true
    settings.fetching.allowedPorts = [server.port]
    settings.fetching.addresses = AddressPolicy(allowing: [try AddressRange("127.0.0.0/8")])
    settings.store = bucket.place()
    settings.spool = spool.path
    settings.stores = [.s3(S3Server.environment)] + settings.stores
    settings.deadline = deadline
    settings.memory = .max
    return settings
  }
}
