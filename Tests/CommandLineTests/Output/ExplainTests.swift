import Misbehaving
import Notifications
import Supporting
import TestSupport
import Testing

@Suite("--explain")
struct ExplainTests {
  @Test("says where a medium was found, how it was fetched, what it is and where it is stored") func success()
    async throws
  {
    try await withHostileServer { server in
      let url = server.url(.redirectChain(hops: 1, then: .serve(.photo)), file: "photo.png")
      let payload = Push.with(#""media":[{"url":"\#(url)","type":"video","id":"webcam"}]"#)
      let enriched = try await enrich(payload, reaching(server.port) + ["--explain"])
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let told = Told(enriched)
      #expect(told["medium"] == ["webcam: \(url)"])
      #expect(told["found"] == ["at media.0.url (push-enricher)"])
      let hop = try #require(told["hop 1"].first)
      #expect(hop.hasPrefix("\(url)  at 127.0.0.1:\(server.port)  HTTP 302  0 bytes  ms: connect "))
      let last = try #require(told["hop 2"].first)
      #expect(last.hasPrefix("\(url)?hop=1  at 127.0.0.1:\(server.port)  HTTP 200  7333 bytes  ms: "))
      #expect(last.contains("first byte ") && last.contains(", end "))
      #expect(told["bytes"] == ["JPEG image (public.jpeg), an image may be up to 10 MB"])
      #expect(told["label"].map { $0.prefix(12) } == ["the hint 'vi", "the extensio"])
      #expect(told["stored"] == ["\(publicURL)\(photo.name), 7333 bytes"])
      #expect(told["written"] == ["at attachments.0"])
      #expect(enriched.run.standardError.contains("\npush-enricher: enriched in "))
      #expect(told["memory"].first?.hasSuffix(" MB private at the peak") == true)
      #expect(told["to do"] == [])
      #expect(enriched.run.standardOutput.starts(with: payload.dropLast()))
    }
  }

  @Test("warns of a file that iOS may not show") func warning() async throws {
    try await withHostileServer { server in
      let response = Response(.file("\(Fixtures.policy)/av1-in-mp4.mp4"), as: "video/mp4")
      let url = server.url(.serve(response), file: "clip.mp4")
      let enriched = try await enrich(Push.naming(url), reaching(server.port) + ["--explain"])
      let told = Told(enriched)
      let warning = "AV1: only devices that decode it in hardware show it; H.264 is safe"
      #expect(told["warning"] == [warning])
      #expect(enriched.told.last?.hasSuffix(" bytes; 1 warning: \(warning)") == true)
      #expect(told["stored"].count == 1)
    }
  }

  @Test("has the times of the name server and of TLS") func times() async throws {
    try await withNginx(serving: Fixtures.media) { nginx in
      try await withNameServer(["media.example": .addresses(["127.0.0.1"])]) { names in
        let options = ["--explain", "--ca-file", nginx.caFile, "--name-servers", names.address]
        let payload = Push.naming("https://media.example:\(nginx.httpsPort)/photo.jpg")
        let hop = try #require(
          Told(try await enrich(payload, reaching(nginx.httpsPort) + options))["hop 1"].first)
        for step in ["ms: DNS ", ", connect ", ", TLS ", ", first byte ", ", end "] {
          #expect(hop.contains(step), "\(hop)")
        }
      }
    }
  }

  @Test("says what a device would have answered and what to do about it") func failure() async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(Response(.file("\(Fixtures.media)/photo.webp"), as: "image/webp")))
      let enriched = try await enrich(Push.naming(url), reaching(server.port) + ["--explain"])
      let told = Told(enriched)
      #expect(told["failed"] == ["type-unsupported: the bytes are a WebP image"])
      #expect(told["device"] == ["UNError 101 attachmentUnrecognizedType"])
      #expect(told["to do"].first?.hasPrefix("send it as JPEG, PNG or GIF") == true)
      #expect(enriched.run.standardOutput == enriched.input)
    }
  }

  @Test("lists each try") func tries() async throws {
    try await withHostileServer { server in
      let url = server.url(.failing(first: 2, by: .unavailable(), then: .serve(.photo)))
      let enriched = try await enrich(Push.naming(url), reaching(server.port) + ["--explain"])
      let told = Told(enriched)
      #expect(enriched.outcome == "enriched")
      #expect(told["hop 1"].first?.contains("  HTTP 503  ") == true)
      #expect(told["hop 2"].first?.contains("  try 2  ") == true)
      #expect(told["hop 3"].first?.contains("  try 3  ") == true)
    }
  }

  @Test("says what was awaited when the deadline passed") func pending() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(server.url(.silent), server.url(.serve(.photo)))
      let enriched = try await enrich(payload, reaching(server.port) + ["--explain", "--deadline", "5s"])
      let told = Told(enriched)
      #expect(told["medium"].count == 2)
      #expect(told["stored"].count == 1)
      #expect(enriched.run.standardError.contains("medium 1 of 2 was waiting for the server's answer"))
      #expect(enriched.run.standardOutput == payload)
    }
  }

  @Test("prints no control characters that others have sent") func controls() async throws {
    try await withHostileServer { server in
      let evil = Response(
        .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg\u{1b}]0;owned\u{7}",
        fields: [.init("Content-Encoding", "gzip, \u{1b}[2J")])
      let payload = Push.with(#""media":{"id":"a\u001b[2J\nb","url":"\#(server.url(.serve(evil)))"}"#)
      let enriched = try await enrich(payload, reaching(server.port) + ["--explain"])
      #expect(enriched.reason == "encoding-not-allowed")
      #expect(!enriched.run.standardError.contains("\u{1b}"))
      #expect(Told(enriched)["medium"].first?.hasPrefix(#"a\u{1B}[2J\nb: "#) == true)
    }
  }
}

extension ExplainTests {
  /// U+202E reverses the text after it: `moc.elpmaxe` is displayed as `example.com`.
  @Test("escapes characters that are invisible or misleading, and so does the report") func spoofing()
    async throws
  {
    try await withHostileServer { server in
      let location = "https://\u{202E}moc.elpmaxe\u{200B}/\u{2066}"
      let url = server.url(.redirect(to: location))
      let payload = Push.with(
        #""media":{"id":"a\u202e\ud83c\udff4\udb40\udc67b","url":"\#(url)#\u2069","type":"\u202ejpg"},"image_url":"https://\u202ea\u2028/""#
      )
      let enriched = try await enrich(payload, reaching(server.port) + ["--explain"])
      #expect(enriched.run.standardOutput == payload)
      #expect(enriched.run.standardError.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable })
      #expect(
        Told(enriched)["medium"].first?.hasPrefix(#"a\u{202E}🏴\u{000E0067}b: "#) == true, "\(enriched.told)")
      let report = String(decoding: enriched.report?.bytes ?? [], as: UTF8.self)
      #expect(
        !report.isEmpty && report.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable }, "\(report)")
      #expect(enriched.media.first?["identifier"]?.string == #"a\u{202E}🏴\u{000E0067}b"#)
    }
  }
}

/// The lines of `--explain`, by their first words.
struct Told {
  private var lines: [String: [String]] = [:]

  init(_ enriched: Enriched) {
    for line in enriched.told {
      let word = line.prefix(8).split(separator: " ").joined(separator: " ")
      lines[word, default: []].append(String(line.dropFirst(9)))
    }
  }

  subscript(word: String) -> [String] { lines[word] ?? [] }
}
