import Foundation
import Misbehaving
import TestSupport
import Testing

@testable import NotificationExtension

@Suite("Downloads of attachments", .timeLimit(.minutes(5))) struct AttachmentLoaderTests {
  private static let photo = Result { try Files.read("\(Fixtures.media)/photo.jpg") }

  private static func attachment(
    _ url: String, _ bytes: [UInt8], type: String = "public.jpeg", size: Int? = nil, digest: String? = nil
  ) throws -> MediaAttachment {
    var hash = SHA256Digest()
    hash.update(Data(bytes))
    let sha256 = hash.finish().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let entry = """
      {"identifier":"media","url":"\(url)","type":"\(type)","size":\(size ?? bytes.count),"sha256":"\(digest ?? sha256)"}
      """
    let payload = try userInfo(#"{"attachments":[\#(entry)]}"#)
    return try #require(MediaAttachment.all(in: payload, schemes: ["http", "https"]).first)
  }

  private static func withLoader(
    _ body: (AttachmentLoader, HostileServer, TemporaryDirectory) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let loader = AttachmentLoader(into: URL(fileURLWithPath: folder.path), limit: .seconds(30))
        try await body(loader, server, folder)
      }
    }
  }

  @Test("gives the file with the extension of its type") func loads() async throws {
    let bytes = try Self.photo.get()
    try await Self.withLoader { loader, server, folder in
      let behaviours: [Behaviour] = [
        .serve(Response(.bytes(bytes), as: "text/plain")),
        .serve(Response(.bytes(bytes), as: "image/jpeg", framing: .chunked(1_000))),
      ]
      for behaviour in behaviours {
        let attachment = try Self.attachment(server.url(behaviour, file: "photo.png"), bytes)
        for url in [attachment, try Self.attachment(server.url(.redirect(to: server.url(behaviour))), bytes)]
        {
          let loaded = try await loader.load(url)
          #expect(loaded.attachment == url && loaded.file.pathExtension == "jpg")
          #expect(try Files.read(loaded.file.path) == bytes)
          try FileManager.default.removeItem(at: loaded.file)
        }
      }
      #expect(folder.names == [])
    }
  }

  @Test("verify status, size, SHA-256 and type, and leave nothing behind") func verifies() async throws {
    let bytes = try Self.photo.get()
    let other = Array(bytes.dropLast()) + [7]
    let webp = try Files.read("\(Fixtures.media)/photo.webp")
    try await Self.withLoader { loader, server, folder in
      let whole = server.url(.serve(Response(.bytes(bytes), as: "image/jpeg")))
      let longPage = server.url(.serve(Response(.bytes(bytes + [0]), as: "text/html", status: 404)))
      let cases: [(MediaAttachment, AttachmentError)] = [
        (try Self.attachment(server.url(.serve(.notFoundPage)), bytes), .status(404)),
        (try Self.attachment(server.url(.unavailable()), bytes), .status(503)),
        (try Self.attachment(longPage, bytes), .status(404)),
        (
          try Self.attachment(whole, bytes, size: bytes.count - 1),
          .size(bytes.count, expected: bytes.count - 1)
        ),
        (
          try Self.attachment(whole, bytes, size: bytes.count + 1),
          .size(bytes.count, expected: bytes.count + 1)
        ),
        (
          try Self.attachment(server.url(.endlessBody(first: bytes)), bytes),
          .size(bytes.count + 1, expected: bytes.count)
        ),
        (
          try Self.attachment(server.url(.endlessChunks(first: bytes)), bytes),
          .size(bytes.count + 1, expected: bytes.count)
        ),
        (try Self.attachment(server.url(.gzipBomb()), bytes), .size(bytes.count + 1, expected: bytes.count)),
        (try Self.attachment(whole, bytes, digest: String(repeating: "0", count: 64)), .digest),
        (try Self.attachment(server.url(.serve(Response(.bytes(other)))), bytes), .digest),
        (try Self.attachment(whole, bytes, type: "public.png"), .type),
        (try Self.attachment(whole, bytes, type: "public.mpeg-4"), .type),
        (try Self.attachment(server.url(.serve(Response(.bytes(webp)))), webp), .type),
        (try Self.attachment("http://127.0.0.1:\(freePort())/a.jpg", bytes), .status(nil)),
        (try Self.attachment(server.url(.redirect(to: "ftp://127.0.0.1/a.jpg")), bytes), .status(302)),
      ]
      for (attachment, error) in cases {
        await #expect(throws: error, "\(attachment.url)") { _ = try await loader.load(attachment) }
      }
      let truncated = try Self.attachment(server.url(.truncated(Response(.bytes(bytes)))), bytes)
      await #expect(throws: AttachmentError.self) { _ = try await loader.load(truncated) }
      #expect(folder.names == [])
      let nowhere = AttachmentLoader(into: URL(fileURLWithPath: folder.path(of: "missing")))
      await #expect(throws: AttachmentError.cannotWrite) {
        _ = try await nowhere.load(try Self.attachment(whole, bytes))
      }
    }
  }

  @Test("take the first of several that works") func first() async throws {
    let bytes = try Self.photo.get()
    try await Self.withLoader { loader, server, folder in
      let broken = try Self.attachment(server.url(.serve(.notFoundPage)), bytes)
      let whole = try Self.attachment(server.url(.serve(Response(.bytes(bytes)))), bytes)
      #expect(await loader.loadFirst(of: [broken, whole, broken])?.attachment == whole)
      #expect(await loader.loadFirst(of: [broken, broken]) == nil)
      #expect(folder.names.count == 1)
    }
  }

  @Test("end in time, and leave nothing behind") func slow() async throws {
    let bytes = try Self.photo.get()
    try await Self.withLoader { _, server, folder in
      let behaviours: [Behaviour] = [
        .silentAfterHeaders(Response(.bytes(bytes))), .stalling(Response(.bytes(bytes)), after: 1_000),
      ]
      for behaviour in behaviours {
        let hasty = AttachmentLoader(into: URL(fileURLWithPath: folder.path), limit: .milliseconds(500))
        let attachment = try Self.attachment(server.url(behaviour), bytes)
        let start = ContinuousClock.now
        #expect(await hasty.loadFirst(of: [attachment, attachment]) == nil)
        // Without the limit, it would take a minute.
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(await eventually { folder.names.isEmpty })
      }
    }
  }
}
