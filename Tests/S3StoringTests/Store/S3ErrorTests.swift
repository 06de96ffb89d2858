import Misbehaving
import Synchronization
import TestSupport
import Testing

@testable import S3Storing
@testable import Storing

/// What S3 refuses, and what the store does about it.
@Suite("Errors of S3", .timeLimit(.minutes(5)))
struct S3ErrorTests {
  private static let photo = [UInt8](repeating: 7, count: 7_333)

  @Test(
    "that pass are tried again, three times in all",
    arguments: [
      S3Refusal.internalError, .slowDown, .serviceUnavailable, .requestTimeout, .operationAborted,
      .conditionalRequestConflict, S3Refusal(502, "BadGateway", ""), S3Refusal(504, "GatewayTimeout", ""),
      S3Refusal(429, "TooManyRequests", ""), .badDigest,
    ])
  func again(refusal: S3Refusal) async throws {
    try await withStore { server, store, _ in
      server.plan(.refuses(refusal), next: 2)
      try await store.store(Self.photo)
      #expect(server.questions.count == 3)
      server.plan(.refuses(refusal))
      let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo + [1]) }
      #expect(error?.description.contains("\(refusal.status) \(refusal.code)") == true)
      #expect(error?.extent != .lasting)
      #expect(server.questions.count == 6)
    }
  }

  @Test(
    "that stay are tried once",
    arguments: [
      S3Refusal.accessDenied, .noSuchBucket("media"), .invalidAccessKeyID("AKIATEST"),
      .signatureDoesNotMatch("AKIATEST", "text", "canonical"), .methodNotAllowed,
      S3Refusal(400, "InvalidBucketName", ""), S3Refusal(401, "Unauthorized", ""),
    ])
  func never(refusal: S3Refusal) async throws {
    try await withStore { server, store, _ in
      server.plan(.refuses(refusal))
      let error = await #expect(throws: StoreError.self) { try await store.tryOut(bytes: 0) }
      #expect(server.questions.count == 1)
      #expect(error?.extent == .lasting)
      let text = "\(error?.description ?? ""): \(error?.advice ?? "")"
      #expect(text.hasPrefix("the bucket media at 127.0.0.1:\(server.port) "))
      #expect(text.contains("(\(refusal.status) \(refusal.code))"))
      for secret in ["AKIATEST", "secret+of", "canonical"] { #expect(!text.contains(secret)) }
    }
  }

  @Test("that concern one object say so") func oneFile() async throws {
    try await withStore { server, store, _ in
      server.plan(.refuses(S3Refusal(400, "EntityTooLarge", "")))
      let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
      #expect(error?.extent == .oneFile)
      #expect(server.questions.count == 1)
    }
  }

  @Test("about the clock are met with the server's") func clock() async throws {
    for offset: Int64 in [-7_200, 7_200] {
      try await withStore { server, store, _ in
        server.change { $0.clockOffset = offset }
        try await store.store(Self.photo)
        #expect(server.questions.map(\.status) == [403, 200])
        // The store remembers that.
        try await store.store(Self.photo + [1])
        #expect(server.questions.count == 3)
      }
    }
  }

  @Test("about the region are met with the right one") func region() async throws {
    try await withStore({ StoreChoice(place: $0.place(region: "us-east-1")) }) { server, store, _ in
      try await store.store(Self.photo)
      #expect(server.questions.map(\.status) == [400, 200])
      try await store.store(Self.photo + [1])
      #expect(server.questions.count == 3)
      // The bucket moves.
      server.plan(.refuses(.permanentRedirect(to: "elsewhere.example", region: "us-west-2")), next: 1)
      server.change { $0.region = "us-west-2" }
      try await store.store(Self.photo + [2])
      #expect(server.questions.count == 5)
    }
  }

  @Test("about the region concern all uploads at once, and the operator is told once")
  func regions() async throws {
    let warnings = Mutex<[String]>([])
    var settings = StoreSettings()
    settings.warn = { text in warnings.withLock { $0.append(text) } }
    try await withStore({ [settings] in
      StoreChoice(place: $0.place(region: "us-east-1"), settings: settings)
    }) { server, store, _ in
      try await withThrowingTaskGroup { group in
        for number in 0..<16 { group.addTask { try await store.store(Self.photo + [UInt8(number)]) } }
        try await group.waitForAll()
      }
      #expect(server.media.count == 16)
      #expect(
        warnings.withLock { $0 } == [
          "the bucket media is in eu-central-1, not in us-east-1: write region=eu-central-1 in --store"
        ])
    }
  }

  @Test("about the region also change what results name")
  func regionOfResults() async throws {
    let client = HTTPClient(certificateFile: nil)
    let place = try S3Location("s3://media/a?region=us-east-1", environment: [:])
    let chain = CredentialChain(environment: S3Server.environment, region: "us-east-1", client: client)
    let exchange = S3Exchange(place.inRegion("eu-central-1"), client, chain) { _ in }
    try await withTemporaryDirectory { folder in
      let store = try S3Store(spool: SpoolPlace(folder.path, [:]), StoreSettings(), exchange)
      #expect(store.url(of: "b.jpg") == "https://media.s3.eu-central-1.amazonaws.com/a/b.jpg")
    }
  }

  @Test("that only look like success fail: an object store gives each object an ETag")
  func noStore() async throws {
    try await withStore { server, store, _ in
      server.plan(.refuses(S3Refusal(200, "OK", "")))
      for work in [{ try await store.tryOut(bytes: 0) }, { try await store.store(Self.photo) }] {
        let error = await #expect(throws: StoreError.self) { try await work() }
        #expect(error?.description.contains("does not answer like an object store (200 OK)") == true)
        #expect(error?.extent == .lasting)
      }
    }
  }

  @Test("that redirect elsewhere are not followed") func redirect() async throws {
    try await withS3Server { other in
      try await withStore { server, store, _ in
        server.plan(.refuses(.temporaryRedirect(to: "\(other.endpoint())/media/a.jpg?X=secret")))
        let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
        #expect(
          error?.description.contains(
            "redirects to 127.0.0.1:\(other.port): redirects to other hosts are not") == true)
        #expect(error?.description.contains("secret") == false)
        #expect(error?.extent == .lasting)
        #expect(server.questions.count == 1)
        #expect(other.questions.isEmpty)
      }
    }
  }

  @Test("about something that is not a region change nothing", arguments: ["evil.example/", "a b", ""])
  func badRegion(name: String) async throws {
    try await withStore { server, store, _ in
      server.plan(
        .refuses(
          S3Refusal(301, "PermanentRedirect", "", fields: [Response.Field("x-amz-bucket-region", name)])))
      await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
      #expect(server.questions.count == 1)
    }
  }

  @Test("about an expired token end with words that do not repeat it") func token() async throws {
    var environment = StoreChoice().environment
    environment["AWS_SESSION_TOKEN"] = "FQoGZXIvYXdzEXAMPLE"
    let choice = StoreChoice(environment: environment)
    try await withStore({ _ in choice }) { server, store, _ in
      server.plan(.refuses(.expiredToken("FQoGZXIvYXdzEXAMPLE")))
      let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
      #expect(error?.description.contains("400 ExpiredToken") == true)
      #expect("\(error?.description ?? "") \(error?.advice ?? "")".contains("FQoGZ") == false)
      #expect(error?.extent == .lasting)
    }
  }

  @Test("about a token are recognized in MinIO's words, too") func tokenOfMinIO() async throws {
    try await withStore { server, store, _ in
      server.plan(.refuses(S3Refusal(403, "InvalidTokenId", "")))
      let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
      let words = "says that the session token has expired or is not valid (403 InvalidTokenId)"
      #expect(error?.description.hasSuffix(words) == true)
      #expect(server.questions.count == 1)
    }
  }

  @Test(
    "that are no answers are tried again",
    arguments: [S3Fault.resets, .resetsInBody(after: 100), .cutsAnswer, .garbageXML])
  func broken(fault: S3Fault) async throws {
    try await withStore { server, store, _ in
      server.plan(fault, next: 2)
      let file = try await store.store(Self.photo)
      #expect(server.object(file.name)?.bytes == Self.photo)
    }
  }

  @Test("count by their status, however long they are") func huge() async throws {
    let page = ServiceAnswer(502, [], [UInt8](repeating: 0x61, count: 1_000_000))
    for (fault, name) in [(S3Fault.hugeXML, "500 InternalError"), (.answers(page), "502")] {
      try await withStore { server, store, _ in
        server.plan(fault)
        let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
        #expect(error?.description.hasSuffix(" has a problem (\(name))") == true)
        #expect(error?.extent == .forNow)
        #expect(server.questions.count == 3)
      }
    }
  }

  @Test("of the spool are not the bucket's") func spool() async throws {
    try await withStore { server, store, _ in
      let expected = StoreError.other(
        "the spool could not be read back", advice: "check the disk of --spool", extent: .forNow)
      await #expect(throws: expected) { try await store.store(CutMedium(in: store.spools)) }
      #expect(server.keys() == [])
    }
  }

  @Test("leave nothing behind, in the bucket or here") func nothingLeft() async throws {
    try await withStore { server, store, folder in
      server.plan(.refuses(.internalError))
      await #expect(throws: StoreError.self) { try await store.store(Self.photo) }
      #expect(server.keys() == [])
      #expect(folder.names == [])
      server.recover()
      try await store.store(Self.photo)
    }
  }

  @Test("end a task that is cancelled, without another try") func cancelled() async throws {
    try await withStore { server, store, _ in
      server.plan(.hangs)
      let work = Task { try await store.store(Self.photo) }
      #expect(await eventually { server.questions.count == 1 })
      work.cancel()
      await #expect(throws: StoreError.self) { try await work.value }
      #expect(server.questions.count == 1)
    }
  }
}

/// A medium that is cut short in its spool.
private final class CutMedium: ArrivedMedium {
  let spools: SpoolDirectory
  let mediaType = "image/jpeg"

  init(in spools: SpoolDirectory) { self.spools = spools }

  func finish() throws(StoreError) -> SpooledFile? {
    var spool = try spools.makeSpool()
    let file = try spool.finish(filenameExtension: "jpg")
    return SpooledFile(
      descriptor: file.descriptor, stored: StoredFile(name: file.stored.name, size: 100_000))
  }
}
