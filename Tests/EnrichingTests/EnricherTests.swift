import Enriching
import Fetching
import Glibc
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("Enricher")
struct EnricherTests {
  private static let photo = Behaviour.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))

  @Test("time that has passed before the enricher gets a payload counts") func received() async throws {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        let payload = try payload(naming: server.url(.silent))
        let enrichment = await enricher.enrich(payload, received: .now - .seconds(28))
        // The step that the deadline interrupts depends on how busy the machine is.
        #expect(enrichment.outcome.bytes == payload.bytes)
        #expect(enrichment.outcome.failure?.reason == .deadlineExceeded)
        #expect(enrichment.report.elapsed >= .seconds(30))
      }
    }
  }

  @Test("encrypted text without media needs no place for a download") func textAlone() async throws {
    try await withTemporaryDirectory { store in
      try await withTemporaryDirectory { folder in
        let keys = folder.path(of: "keys.json")
        try Files.write(Files.read("\(Fixtures.root)/Fixtures/encrypted/keys.json"), to: keys)
        #expect(unsafe chmod(keys, 0o600) == 0)
        var settings = try EnrichmentSettings.reaching(store: store)
        settings.keys = .file(keys)
        settings.memory = 1_000_000
        let enricher = try Enricher(settings: settings)
        #expect(enricher.memoryFailure?.reason == .memoryExceeded)
        let enrichment = await enricher.enrich(
          try PushMessage(Sealed.content(#"{"body":"Look!"}"#).bytes))
        #expect(
          String(decoding: enrichment.outcome.bytes, as: UTF8.self)
            == #"{"aps":{"alert":{"title":"New","body":"Look!"},"mutable-content":1},"n":1.0}"#)
        #expect(enrichment.outcome.failure == nil)
      }
    }
  }

  @Test("if there is no memory for a single download, no payload waits") func noPlaces() async throws {
    try await withTemporaryDirectory { store in
      var settings = try EnrichmentSettings.reaching(store: store)
      settings.memory = 1_000_000
      let enricher = try Enricher(settings: settings)
      let failure = Failure(
        .memoryExceeded, "1 MB is too little memory for a single download", advice: "allow more with --memory"
      )
      #expect(enricher.memoryFailure == failure)
      #expect(await enricher.reservePlaces(upTo: 4, mayGoBack: true).isEmpty)
      let enrichment = await enricher.enrich(try payload(naming: "https://10.0.0.1/photo.jpg"))
      #expect(enrichment.outcome.failure == failure)
      #expect(try Enricher(settings: .reaching(store: store)).memoryFailure == nil)
    }
  }

  @Test("places that are reserved ahead do not count as held by payloads") func ahead() async throws {
    try await withTemporaryDirectory { store in
      let enricher = try Enricher(settings: .reaching(store: store))
      let reservations = await enricher.reservePlaces(upTo: 4, mayGoBack: true)
      #expect(reservations.count == 4)
      #expect(enricher.transfers == (64, 0))
      let payload = try payload(naming: "https://10.0.0.1/photo.jpg")
      let enrichment = await enricher.enrich(payload, using: reservations[0])
      #expect(enrichment.outcome.failure?.reason == .addressBlocked)
      for reservation in reservations { reservation.release() }
      #expect(enricher.transfers == (64, 0))
    }
  }

  @Test("a payload that arrives after its deadline is not looked at") func late() async throws {
    try await withTemporaryDirectory { store in
      let enricher = try Enricher(settings: .reaching(store: store))
      let payload = try payload(naming: "https://127.0.0.1/photo.jpg")
      let enrichment = await enricher.enrich(payload, received: .now - .seconds(60))
      #expect(enrichment.outcome.failure?.reason == .deadlineExceeded)
      #expect(enrichment.outcome.bytes == payload.bytes)
    }
  }

  /// The deadline and the end of the cancelled transfers come at the same moment. Their order must
  /// not change the result.
  @Test("at the deadline, a payload with one finished medium and one missing goes out unmodified")
  func partly()
    async throws
  {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: store)
        // A busy machine may need seconds for the first media. Meanwhile, no host has to make room.
        settings.hosts = nil
        let enricher = try Enricher(settings: settings)
        let payload = try payload(naming: server.url(Self.photo), server.url(.silent))
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
          for number in 0..<40 {
            let received = ContinuousClock.now - .seconds(22) - .milliseconds(7 * number)
            group.addTask { await enricher.enrich(payload, received: received).outcome }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        // The detail depends on how busy the machine is.
        #expect(outcomes.filter { $0.bytes != payload.bytes }.count == 0)
        #expect(outcomes.map { $0.failure?.reason } == outcomes.map { _ in .deadlineExceeded })
        #expect(
          outcomes.filter { $0.failure?.detail.contains("medium 2 of 2 was waiting for ") != true }.map(
            \.failure)
            == [])
      }
    }
  }

  @Test("a store that was missing is used as soon as it exists") func store() async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: folder)
        settings.store = folder.path(of: "later")
        let enricher = try Enricher(settings: settings)
        let payload = try payload(naming: server.url(Self.photo))
        #expect(await enricher.enrich(payload).outcome.failure?.reason == .storeFailed)
        try await Command("mkdir").runSuccessfully([settings.store])
        #expect(await enricher.enrich(payload).outcome.name == "enriched")
      }
    }
  }

  @Test("payloads that are enriched at once do not disturb each other") func together() async throws {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: store)
        settings.concurrency = 8
        let enricher = try Enricher(settings: settings)
        let good = try payload(naming: server.url(Self.photo))
        let bad = try payload(naming: server.url(.serve(.notFoundPage)))
        let names = await withTaskGroup(of: (Int, String?).self) { group in
          for number in 0..<64 {
            group.addTask {
              (number, await enricher.enrich(number % 2 == 0 ? good : bad).outcome.failure?.reason.rawValue)
            }
          }
          return await group.reduce(into: [String?](repeating: "none", count: 64)) { $0[$1.0] = $1.1 }
        }
        #expect(names == (0..<64).map { $0 % 2 == 0 ? nil : "http-status" })
        #expect(store.names.count == 1)
        #expect(server.connections <= 64)
      }
    }
  }

  @Test("the progress can be read from start to end") func recording() async throws {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        let progress = EnrichmentProgress()
        #expect(progress.media.isEmpty)
        let payload = try payload(naming: server.url(Self.photo))
        let enrichment = await enricher.enrich(payload, recording: progress)
        #expect(progress.media.count == 1)
        #expect(progress.media.first?.stored == enrichment.report.media.first?.stored)
        #expect(progress.media.first?.fetch.received == 7_333)
      }
    }
  }

  @Test("an unreadable certificate file is an error of the settings") func setup() throws {
    var settings = EnrichmentSettings()
    settings.fetching.certificateFile = "/nonexistent.pem"
    #expect(throws: SetupError.fetching(.tlsFailed(detail: "/nonexistent.pem: No such file or directory"))) {
      try Enricher(settings: settings)
    }
  }
}
