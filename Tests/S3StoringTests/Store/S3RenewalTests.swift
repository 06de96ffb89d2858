import Misbehaving
import Storing
import TestSupport
import Testing

@testable import S3Storing

/// Credentials that end while a store works, and the service that gives new ones.
@Suite("Credentials that end", .timeLimit(.minutes(5)))
struct S3RenewalTests {
  private static let photo = [UInt8](repeating: 7, count: 7_333)
  private static let old = S3Account(accessKey: "ASIAOLD", secretKey: "secret+old", token: "old=token")
  private static let new = S3Account(accessKey: "ASIANEW", secretKey: "secret+new", token: "new=token")

  @Test("are replaced by those that the container's service has by then") func renewed() async throws {
    try await withStore { server, services, store in
      let first = try await store.store(Self.photo)
      Self.end(server)
      services.change { $0.account = Self.new }
      let second = try await store.store(Self.photo + [1])
      #expect(server.keys() == [first.name, second.name].sorted())
      #expect(server.questions.map(\.status) == [200, 400, 200])
      #expect(
        server.questions.map { $0.request.value(of: "x-amz-security-token") } == [
          "old=token", "old=token", "new=token",
        ])
      #expect(services.requests.count == 2)
      // The store keeps the new credentials.
      try await store.store(Self.photo + [2])
      #expect(services.requests.count == 2)
      #expect(server.questions.count == 4)
    }
  }

  @Test("are asked for once, however many uploads they end under") func together() async throws {
    try await withStore { server, services, store in
      try await store.store(Self.photo)
      Self.end(server)
      services.change { $0.account = Self.new }
      // All uploads are refused before the first one asks for new credentials.
      let all = Latch()
      server.plan(.waits(all), on: ["PUT"], next: 8)
      let uploads = Task {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 1...8 as ClosedRange<UInt8> {
            group.addTask { try await store.store(Self.photo + [number]) }
          }
          try await group.waitForAll()
        }
      }
      #expect(await eventually { server.questions.count == 9 })
      all.open()
      try await uploads.value
      #expect(server.keys().count == 9)
      #expect(server.questions.count { $0.status == 400 } == 8)
      #expect(services.requests.count == 2)
    }
  }

  @Test("are an error if the service has no others, until it has") func same() async throws {
    try await withStore { server, services, store in
      try await store.store(Self.photo)
      Self.end(server)
      let error = await #expect(throws: StoreError.self) { try await store.store(Self.photo + [1]) }
      #expect(error?.description.contains("(400 ExpiredToken)") == true)
      #expect(
        error?.advice
          == "renew the credentials, or check what gives them to this machine; the key comes from the container's service for credentials"
      )
      #expect("\(error?.description ?? "")".contains("old=token") == false)
      #expect(server.questions.map(\.status) == [200, 400])
      #expect(services.requests.count == 2)
      services.change { $0.account = Self.new }
      // The store asks again after 5 s.
      #expect(try await eventually { (try? await store.store(Self.photo + [1])) != nil })
      #expect(server.keys().count == 2)
    }
  }

  @Test("are read again from a file that was replaced meanwhile, once their key is unknown")
  func replacedFile() async throws {
    try await withTemporaryDirectory { folder in
      func write(_ account: S3Account) throws -> String {
        try folder.write(
          Array(
            "[default]\naws_access_key_id=\(account.accessKey)\naws_secret_access_key=\(account.secretKey)\n"
              .utf8),
          to: "credentials")
      }
      let (old, new) = (
        S3Account(accessKey: "AKIAOLD", secretKey: "old"), S3Account(accessKey: "AKIANEW", secretKey: "new")
      )
      let choice = StoreChoice(environment: ["AWS_SHARED_CREDENTIALS_FILE": try write(old)])
      try await S3StoringTests.withStore({ _ in choice }) { server, store, _ in
        server.change { $0.accounts = [old] }
        try await store.store(Self.photo)
        server.change { $0.accounts = [new] }
        _ = try write(new)
        try await store.store(Self.photo + [1])
        #expect(server.questions.map(\.status) == [200, 403, 200])
      }
    }
  }

  /// From now on, the server takes only the new ones.
  private static func end(_ server: S3Server) {
    var ended = old
    ended.end = 0
    server.change { $0.accounts = [ended, new] }
  }

  /// Runs `body` with a store that gets its credentials from a container's service. It waits longer for the
  /// service than the program does, which on a busy machine would ask a second time.
  private func withStore(_ body: (S3Server, CredentialServer, S3Store) async throws -> Void) async throws {
    try await withCredentialServer(Self.old) { services in
      try await withS3Server { server in
        try await withTemporaryDirectory { folder in
          server.change { $0.accounts = [Self.old] }
          let client = HTTPClient(certificateFile: nil)
          let credentials = CredentialChain(environment: services.container, region: "eu-central-1") {
            (request, _) throws(HTTPFailure) in try await client.send(request, within: .seconds(60))
          }
          let location = try S3Location(server.place(), environment: [:])
          let exchange = S3Exchange(location, client, credentials) { _ in }
          let store = try S3Store(spool: SpoolPlace(folder.path, [:]), StoreSettings(), exchange)
          try await body(server, services, store)
        }
      }
    }
  }
}
