import Misbehaving
import Storing
import Supporting
import TestSupport
import Testing

@testable import S3Storing

@Suite("S3Store", .timeLimit(.minutes(5)))
struct S3StoreTests {
  private static let photo = [UInt8](repeating: 7, count: 7_333)

  @Test("puts a medium once, under its final name, with what browsers and caches need")
  func stores() async throws {
    try await withStore { server, store, folder in
      let file = try await store.store(Self.photo)
      #expect(file.size == Self.photo.count)
      #expect(server.keys() == [file.name])
      let object = try #require(server.object(file.name))
      #expect(object.bytes == Self.photo)
      #expect(object.contentType == "image/jpeg")
      #expect(object.cacheControl == "public, max-age=31536000, immutable")
      #expect(object.contentDisposition == "inline")
      let question = try #require(server.questions.first)
      #expect(server.questions.count == 1)
      #expect(question.request.value(of: "If-None-Match") == "*")
      #expect(question.request.value(of: "x-amz-content-sha256") == file.sha256)
      // This checksum is for AWS only. Other services may not accept it.
      #expect(question.request.value(of: "x-amz-checksum-sha256") == nil)
      #expect(store.url(of: file.name) == "\(server.endpoint())/media/\(file.name)")
      #expect(folder.names == [])
    }
  }

  @Test("knows prefixes, path style and hosts of buckets") func places() async throws {
    try await withStore({ StoreChoice(place: $0.place("media/a/b")) }) { server, store, _ in
      let name = try await store.store(Self.photo).name
      #expect(server.keys() == ["a/b/\(name)"])
      #expect(server.questions.first?.request.path == "/media/a/b/\(name)")
    }
    try await withStore({
      StoreChoice(
        place: "s3://media/a?region=eu-central-1&path-style=false&endpoint=http://localhost:\($0.port)")
    }) { server, store, _ in
      let name = try await store.store(Self.photo).name
      #expect(server.keys() == ["a/\(name)"])
      #expect(server.questions.first?.request.path == "/a/\(name)")
      #expect(server.questions.first?.request.value(of: "Host") == "media.localhost:\(server.port)")
    }
  }

  @Test("does not send again what it has just sent") func known() async throws {
    try await withStore { server, store, _ in
      let first = try await store.store(Self.photo)
      let again = try await store.store(Self.photo)
      #expect(again == first)
      #expect(await store.touch(first.name, size: first.size) == .present)
      #expect(server.questions.count == 1)
    }
  }

  @Test("takes 412 for success if the object is whole") func exists() async throws {
    try await withStore { server, store, _ in
      let file = try await store.store(Self.photo)
      try await withOther(of: server) { other in
        let again = try await other.store(Self.photo)
        #expect(again == file)
        #expect(server.questions.map(\.method) == ["PUT", "PUT", "HEAD"])
        #expect(server.questions[1].status == 412)
      }
      // If the object is another file, perhaps a remnant, it is replaced.
      let other = try await store.store(Array(Self.photo.dropLast()))
      server.setObject(server.object(other.name), file.name)
      try await withOther(of: server) { other in
        try await other.store(Self.photo)
        #expect(server.object(file.name)?.bytes == Self.photo)
      }
    }
  }

  @Test("asks first whether a large object is there") func large() async throws {
    let video = [UInt8](repeating: 9, count: 300_000)
    try await withStore { server, store, _ in
      try await store.store(video)
      #expect(server.questions.map(\.method) == ["HEAD", "PUT"])
      try await withOther(of: server) { other in
        try await other.store(video)
        #expect(server.questions.map(\.method) == ["HEAD", "PUT", "HEAD"])
      }
      // Without the right to list, S3 denies objects that are not there.
      server.change { $0.missingRefusal = .accessDenied }
      try await store.store(video + [1])
      #expect(server.questions("PUT").count == 2)
    }
  }

  @Test("two at once with the same content are one object") func together() async throws {
    try await withStore { server, store, _ in
      try await withOther(of: server) { other in
        let both = Latch()
        server.plan(.waits(both), on: ["PUT"], next: 2)
        async let one = store.store(Self.photo)
        async let two = other.store(Self.photo)
        // When they send, neither knows of the other.
        #expect(
          await eventually { server.questions.map(\.bodyCount) == [Self.photo.count, Self.photo.count] })
        both.open()
        let (first, second) = try await (one, two)
        #expect(first == second)
        #expect(server.keys() == [first.name])
        #expect(server.object(first.name)?.bytes == Self.photo)
        // One of them wins. The other one looks at the object, and does not send it again.
        #expect(server.questions.map(\.method) == ["PUT", "PUT", "HEAD"])
        #expect(server.questions.prefix(2).map { $0.request.value(of: "If-None-Match") } == ["*", "*"])
        #expect(server.questions("PUT").compactMap(\.status).sorted() == [200, 412])
        #expect(server.questions.last?.status == 200)
      }
    }
  }

  @Test(
    "puts without a condition if the server does not know it, and remembers that",
    arguments: [S3Refusal.notImplemented, .invalidArgument])
  func noConditions(refusal: S3Refusal) async throws {
    try await withStore { server, store, _ in
      server.change { $0.conditionRefusal = refusal }
      try await store.store(Self.photo)
      try await store.store(Self.photo + [1])
      let conditions = server.questions("PUT").map { $0.request.value(of: "If-None-Match") }
      #expect(conditions == ["*", nil, nil])
    }
  }

  @Test("renews an old object that is used again, with its type") func renews() async throws {
    try await withStore { server, store, _ in
      let file = try await store.store(Self.photo)
      func age(_ days: Int64) throws {
        var object = try #require(server.object(file.name))
        object.modified -= days * 86_400
        server.setObject(object, file.name)
      }
      try age(6)
      try await withOther(of: server) { other in
        #expect(await other.touch(file.name, size: file.size) == .present)
        #expect(server.questions.map(\.method) == ["PUT", "HEAD"])
      }
      try age(2)
      try await withOther(of: server) { other in
        #expect(await other.touch(file.name, size: file.size) == .present)
        #expect(server.questions.map(\.method) == ["PUT", "HEAD", "HEAD", "PUT"])
      }
      let object = try #require(server.object(file.name))
      #expect(object.bytes == Self.photo)
      #expect(object.contentType == "image/jpeg")
      #expect(object.cacheControl == "public, max-age=31536000, immutable")
      #expect(abs(object.modified - ServiceClock.now) < 60)
    }
  }

  @Test("has nothing that is missing or cut") func absent() async throws {
    try await withStore { server, store, _ in
      let name = String(repeating: "a", count: 64) + ".jpg"
      #expect(await store.touch(name, size: 3) == .absent)
      let file = try await store.store(Self.photo)
      try await withOther(of: server) { other in
        #expect(await other.touch(file.name, size: file.size + 1) == .absent)
      }
    }
  }

  @Test("does not know what the bucket does not say") func unknown() async throws {
    try await withStore { server, store, _ in
      let file = try await store.store(Self.photo)
      try await withOther(of: server) { other in
        server.change { $0.missingRefusal = .accessDenied }
        #expect(await other.touch(String(repeating: "a", count: 64) + ".jpg", size: 3) == .unknown)
        for fault in [S3Fault.refuses(.accessDenied), .refuses(.internalError), .resets, .hangs] {
          server.recover()
          server.plan(fault)
          #expect(await other.touch(file.name, size: file.size) == .unknown)
        }
        let work = Task { await other.touch(file.name, size: file.size) }
        work.cancel()
        #expect(await work.value == .unknown)
        server.recover()
        #expect(await other.touch(file.name, size: file.size) == .present)
      }
      try await withOther(of: server, environment: ["AWS_EC2_METADATA_DISABLED": "true"]) { other in
        #expect(await other.touch(file.name, size: file.size) == .unknown)
      }
    }
  }

  @Test("does not know an old object that cannot be renewed", arguments: [0, 70_000])
  func notRenewed(spaces: Int) async throws {
    try await withStore { server, store, _ in
      let file = try await store.store(Self.photo)
      var object = try #require(server.object(file.name))
      object.modified -= 30 * 86_400
      server.setObject(object, file.name)
      try await withOther(of: server) { other in
        // S3 keeps a slow copy's connection alive with spaces.
        let text = String(repeating: " ", count: spaces) + "<Error><Code>InternalError</Code></Error>"
        server.plan(.answers(ServiceAnswer(200, [], Array(text.utf8))), on: ["PUT"])
        #expect(await other.touch(file.name, size: file.size) == .unknown)
      }
    }
  }

  @Test("tests itself with one object, which is always the same") func trial() async throws {
    try await withStore({ StoreChoice(place: $0.place("media/a")) }) { server, store, folder in
      for size in [0, 262_144, 0] {
        try await store.tryOut(bytes: size)
        #expect(server.keys() == ["a/.push-enricher-test"])
        #expect(server.object("a/.push-enricher-test")?.bytes.count == size)
      }
      #expect(folder.names == [])
    }
  }

  private func withOther(
    of server: S3Server, environment: [String: String] = S3Server.environment,
    _ body: (S3Store) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let place = try [StoreKind.s3(environment)].place(server.place(), spool: folder.path)
      try await body(try #require(try place.open(StoreSettings()) as? S3Store))
    }
  }
}
