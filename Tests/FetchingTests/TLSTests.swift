import Fetching
import Glibc
import Misbehaving
import TestSupport
import Testing

/// HTTPS and HTTP/2 with a third-party server, nginx.
@Suite("Fetching over TLS", .timeLimit(.minutes(5)))
struct TLSTests {
  private static let untrusted = FetchError.tlsFailed(detail: "")

  private static func settings(_ nginx: NginxServer) throws -> FetchSettings {
    var settings = try FetchSettings.loopback(
      ports: [nginx.httpPort, nginx.httpsPort, nginx.wrongHostPort, nginx.selfSignedPort])
    settings.certificateFile = nginx.caFile
    return settings
  }

  @Test("only servers with a valid certificate are trusted")
  func trust() async throws {
    try await withNginx(serving: Fixtures.media) { nginx in
      let settings = try Self.settings(nginx)
      let fetcher = try Fetcher(settings: settings)
      let photo = try Files.read("\(Fixtures.media)/photo.jpg")

      let plain = await fetcher.get("\(nginx.httpOrigin)/photo.jpg")
      #expect(plain.body == photo)
      #expect(plain.journal.hops.map { $0.timings.tls } == [nil])

      let fetch = await fetcher.get("\(nginx.httpsOrigin)/photo.jpg")
      #expect(fetch.body == photo)
      #expect(fetch.steps == [Step(200)])
      let head = try fetch.result.get()
      #expect(head.contentType == "image/jpeg")
      #expect(head.contentLength == photo.count)
      let timings = try #require(fetch.journal.hops.first?.timings)
      #expect(try #require(timings.connect) <= #require(timings.tls))
      #expect(try #require(timings.tls) <= #require(timings.firstByte))

      // A failed handshake is a failure for good, and its cause is named.
      let wrongHost = await fetcher.get("\(nginx.wrongHostOrigin)/photo.jpg")
      #expect(wrongHost.failure == Self.untrusted)
      #expect(wrongHost.detail.contains("127.0.0.1"))
      #expect(wrongHost.steps == [Step(nil, error: Self.untrusted)])
      let selfSigned = await fetcher.get("\(nginx.selfSignedOrigin)/photo.jpg")
      #expect(selfSigned.failure == Self.untrusted)
      #expect(selfSigned.detail.contains("certificate"))
      #expect(selfSigned.steps == [Step(nil, error: Self.untrusted)])

      var strict = settings
      strict.certificateFile = nil
      let stranger = try Fetcher(settings: strict)
      #expect(await stranger.get("\(nginx.httpsOrigin)/photo.jpg").failure == Self.untrusted)
      #expect(await stranger.get("\(nginx.httpOrigin)/photo.jpg").body == photo)
      // The server speaks plain HTTP on this port.
      #expect(await fetcher.get("https://127.0.0.1:\(nginx.httpPort)/photo.jpg").failure == Self.untrusted)
    }
  }

  @Test("a file of authorities that was replaced is read again once a server is not trusted")
  func replacedAuthorities() async throws {
    try await withNginx(serving: Fixtures.media) { nginx in
      try await withTemporaryDirectory { folder in
        let file = folder.path(of: "authority.pem")
        try ServerCertificate(for: "IP:127.0.0.1").write(to: file)
        var settings = try Self.settings(nginx)
        settings.certificateFile = file
        let fetcher = try Fetcher(settings: settings)
        let url = "\(nginx.httpsOrigin)/photo.jpg"
        #expect(await fetcher.get(url).failure == Self.untrusted)
        // A file that cannot be used changes nothing.
        try Self.replace(file, with: Array("new".utf8), in: folder)
        #expect(await fetcher.get(url).failure == Self.untrusted)
        try Self.replace(file, with: try Files.read(nginx.caFile), in: folder)
        #expect(await fetcher.get(url).failure == Self.untrusted)
        #expect(await fetcher.get(url).status == 200)
      }
    }
  }

  private static func replace(_ file: String, with bytes: [UInt8], in folder: TemporaryDirectory) throws {
    let new = try folder.write(bytes, to: "new.pem")
    #expect(unsafe rename(new, file) == 0)
  }

  @Test("the host name is checked against the certificate, and sent to the server")
  func names() async throws {
    try await withNginx(serving: Fixtures.media) { nginx in
      let answers = [
        "media.example": NameAnswer.addresses(["127.0.0.1"]), "other.example": .addresses(["127.0.0.1"]),
      ]
      try await withNameServer(answers) { names in
        var settings = try Self.settings(nginx)
        settings.nameServers = names.address
        let fetcher = try Fetcher(settings: settings)
        let right = await fetcher.get("https://media.example:\(nginx.httpsPort)/photo.jpg")
        #expect(right.steps == [Step(200)])
        #expect(right.journal.hops.map(\.address) == ["127.0.0.1:\(nginx.httpsPort)"])
        #expect(right.journal.hops.first?.timings.dns != nil)
        let wrong = await fetcher.get("https://other.example:\(nginx.httpsPort)/photo.jpg")
        #expect(wrong.failure == Self.untrusted)
        #expect(wrong.detail.contains("other.example"))
      }
    }
  }

  /// Over HTTP/1.1 a connection serves one transfer after another. Here the second one starts
  /// before the first has ended.
  @Test("two transfers share one connection of HTTP/2, in pieces of 16 KB")
  func multiplexing() async throws {
    try await withTemporaryDirectory { folder in
      let size = 20_000_000
      try folder.write([UInt8](repeating: 7, count: size), to: "large.mp4")
      try await withNginx(serving: folder.path) { nginx in
        var settings = try Self.settings(nginx)
        settings.concurrency = 1
        let fetcher = try Fetcher(settings: settings)
        let url = "\(nginx.httpsOrigin)/large.mp4"
        // On a connection that exists already, libcurl knows whether it speaks HTTP/2.
        #expect(await fetcher.get(url, into: Sink(limit: 0)).failure == .stopped)
        #expect(
          await fetcher.get("\(nginx.httpsOrigin)/missing").failure == .httpStatus(404, retryAfter: nil))
        let other = Sink(isKept: false)
        let watched = Sink(isKept: false)
        async let one = fetcher.get(url, into: watched)
        async let two = fetcher.get(url, into: other)
        let fetches = await [one, two]
        #expect(fetches.map(\.status) == [200, 200])
        #expect([watched.received, other.received] == [size, size])
        #expect(fetches.allSatisfy { $0.largestPiece <= 16_384 })
      }
    }
  }

  /// Each failed handshake opens a connection, so that handles are worn out and freed while other
  /// transfers continue, which share a connection of HTTP/2 or have their own.
  @Test("libcurl handles are replaced while transfers over TLS continue")
  func turns() async throws {
    try await withTemporaryDirectory { folder in
      let large = [UInt8](repeating: 7, count: 500_000)
      try folder.write(large, to: "large.mp4")
      try await withNginx(serving: folder.path) { nginx in
        var settings = try Self.settings(nginx)
        settings.concurrency = 4
        settings.handleLifetime = 2
        let fetcher = try Fetcher(settings: settings)
        await withTaskGroup(of: Void.self) { group in
          for origin in [nginx.httpsOrigin, nginx.httpOrigin, nginx.selfSignedOrigin] {
            for _ in 0..<3 {
              group.addTask {
                for _ in 0..<20 {
                  let fetch = await fetcher.get("\(origin)/large.mp4")
                  if origin == nginx.selfSignedOrigin {
                    #expect(fetch.failure == Self.untrusted)
                  } else {
                    // Compared here, because a failure would print both.
                    let isWhole = fetch.body == large
                    #expect(isWhole)
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  @Test("nginx redirects a directory without its slash, over TLS too")
  func redirect() async throws {
    try await withTemporaryDirectory { folder in
      try await withNginx(serving: Fixtures.root) { nginx in
        let fetcher = try Fetcher(settings: try Self.settings(nginx))
        let fetch = await fetcher.get("\(nginx.httpsOrigin)/Fixtures")
        #expect(fetch.steps == [Step(301), Step(403, error: .httpStatus(403, retryAfter: nil))])
      }
    }
  }
}
