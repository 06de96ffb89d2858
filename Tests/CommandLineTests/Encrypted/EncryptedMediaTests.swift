import Enriching
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("Encrypted media")
struct EncryptedMediaTests {
  @Test("behind an aesgcm URL are fetched with https, and their fragment appears nowhere") func xmpp()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let sealing = try Sealing(folder)
      try await withNginx(serving: folder.path) { nginx in
        let entry = try await sealing.medium(
          "photo.jpg", as: "aesgcm", url: "\(nginx.httpsOrigin)/a", name: "a")
        let fragment = try #require(entry.split(separator: "#").last?.prefix(88))
        let options =
          reaching(nginx.httpsPort) + ["--ca-file", nginx.caFile, "--explain", "--keys", sealing.keys]
        let payload = try await sealing.payload("{\"media\":\(entry)}")
        let enriched = try await enrich(payload, options)
        #expect(enriched.outcome == "enriched", "\(enriched.run.standardError)")
        #expect(enriched.media.first?["url"]?.string == "aesgcm://127.0.0.1:\(nginx.httpsPort)/a")
        // Outside of encrypted content, its key is not accepted.
        let clear = try await enrich(Push.with("\"media\":\(entry)"), options)
        #expect(clear.reason == "scheme-not-allowed")
        #expect(clear.run.standardError.contains("here, anyone could read the key in the URL"))
        for enriched in [enriched, clear] {
          let told = enriched.run.standardError + (enriched.report?.root.spelling ?? "")
          for part in [fragment.prefix(24), fragment.suffix(64), fragment.suffix(12)] {
            #expect(!told.contains(part))
          }
        }
      }
    }
  }

  /// What the server and the payload say about the encryption, and the result.
  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    let coding: String?
    let isEncrypted: Bool
    let enc: String?
    /// Nil if it is enriched.
    let reason: Reason?
    var hasKeys = true

    var testDescription: String { what }
  }

  static let rows = [
    Row(what: "a server that says so", coding: "aes128gcm", isEncrypted: true, enc: nil, reason: nil),
    Row(
      what: "a payload that says so", coding: nil, isEncrypted: true,
      enc: #"{"ce":"aes128gcm","kid":"dev-7f3a"}"#, reason: nil),
    Row(
      what: "both", coding: "AES128GCM", isEncrypted: true, enc: #"{"ce":"aes128gcm","kid":"dev-7f3a"}"#,
      reason: nil),
    Row(
      what: "a server that says so, and no keys", coding: "aes128gcm", isEncrypted: true, enc: nil,
      reason: .encodingNotAllowed, hasKeys: false),
    Row(what: "nobody says so", coding: nil, isEncrypted: true, enc: nil, reason: .typeUnsupported),
    Row(
      // The server says that a plain file is encrypted. Its bytes are read as the name of a key.
      what: "a server that says so of what is not", coding: "aes128gcm", isEncrypted: false, enc: nil,
      reason: .keyUnknown),
    Row(
      what: "a payload that says so of what is not", coding: nil, isEncrypted: false,
      enc: #"{"ce":"aes128gcm","kid":"dev-7f3a"}"#, reason: .decryptFailed),
    Row(
      what: "another key of the ring", coding: nil, isEncrypted: true,
      enc: #"{"ce":"aes128gcm","kid":"web"}"#,
      reason: .decryptFailed),
    Row(
      what: "a coding on top", coding: "aes128gcm, gzip", isEncrypted: true, enc: nil,
      reason: .encodingNotAllowed),
    Row(
      what: "another coding", coding: "gzip", isEncrypted: true,
      enc: #"{"ce":"aes128gcm","kid":"dev-7f3a"}"#, reason: .encodingNotAllowed),
  ]

  @Test("are decrypted with a key of the key file", arguments: rows)
  func ring(row: Row) async throws {
    let name = row.isEncrypted ? "encrypted/media/photo.png.aes128gcm" : "media/photo.png"
    let response = Response(
      .file("\(Fixtures.root)/Fixtures/\(name)"), as: "image/png",
      fields: row.coding.map { [Response.Field("Content-Encoding", $0)] } ?? [])
    try await withTemporaryDirectory { folder in
      let keys = try KeyFile.copy(into: folder)
      try await withHostileServer { server in
        let enc = row.enc.map { ",\"enc\":\($0)" } ?? ""
        let payload = Push.with(#""media":{"url":"\#(server.url(.serve(response)))"\#(enc)}"#)
        let enriched = try await enrich(
          payload, reaching(server.port) + (row.hasKeys ? ["--keys", keys] : []))
        if let reason = row.reason {
          expectUnmodified(enriched, reason)
          #expect(enriched.stored == [])
        } else {
          let stored = try await StoredMedia("photo.png", type: "public.png")
          #expect(enriched.outcome == "enriched", "\(enriched.run.standardError)")
          #expect(enriched.stored == [stored.name])
        }
      }
    }
  }

  @Test("are refused if they are cut off or too long", arguments: ["aes128gcm", "matrix", "signal"])
  func transport(format: String) async throws {
    try await withTemporaryDirectory { folder in
      let sealing = try Sealing(folder)
      try await withHostileServer { server in
        let entry = try await sealing.medium("photo.jpg", as: format, url: "https://m/a", name: "a")
        let response = Response(.file(folder.path(of: "a")))
        func enriched(_ behaviour: Behaviour, _ options: [String] = []) async throws -> Enriched {
          let payload = try await sealing.payload(
            "{\"media\":\(entry.replacing("\"https://m/a\"", with: "\"\(server.url(behaviour))\""))}")
          return try await enrich(payload, reaching(server.port) + ["--keys", sealing.keys] + options)
        }
        #expect(try await enriched(.serve(response)).outcome == "enriched")
        expectUnmodified(try await enriched(.truncated(response)), .bodyTruncated)
        expectUnmodified(try await enriched(.serve(response), ["--limits", "image=7kB"]), .bodyTooLarge)
        let small = ["--limits", "image=1kB,audio=1kB,video=1kB"]
        expectUnmodified(try await enriched(.serve(response), small), .bodyTooLarge)
        expectUnmodified(
          try await enriched(.serve(.padded("photo.jpg", as: "x", to: 60_000_000)), []), .bodyTooLarge)
        expectUnmodified(try await enriched(.serve(.noContent)), .decryptFailed)
      }
    }
  }
}
