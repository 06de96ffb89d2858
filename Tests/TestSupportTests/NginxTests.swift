import TestSupport
import Testing

@Suite("NginxServer")
struct NginxTests {
  @Test("serves a folder over HTTP, HTTPS and HTTP/2, and is gone afterwards")
  func serving() async throws {
    try await withTemporaryDirectory { folder in
      try folder.write(picture, to: "a.jpg")
      let origin = try await withNginx(serving: folder.path) { nginx in
        let plain = try await curl("\(nginx.httpOrigin)/a.jpg", ["-w", "%{stderr}%{content_type}"])
        #expect(plain.standardOutput == picture)
        #expect(plain.standardError == "image/jpeg")
        for (option, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
          let secure = try await curl(
            "\(nginx.httpsOrigin)/a.jpg",
            ["--cacert", nginx.caFile, option, "-w", "%{stderr}%{http_version}"])
          #expect(secure.standardOutput == picture)
          #expect(secure.standardError == version)
        }
        for name in ["localhost", "media.example"] {
          let named = try await curl(
            "https://\(name):\(nginx.httpsPort)/a.jpg",
            ["--cacert", nginx.caFile, "--resolve", "\(name):\(nginx.httpsPort):127.0.0.1"])
          #expect(named.standardOutput == picture)
        }
        return nginx.httpOrigin
      }
      #expect(try await curl(origin).exitStatus == CurlExit.cannotConnect)
    }
  }

  @Test("is not trusted without its authority, for another host, or with a self-signed certificate")
  func trust() async throws {
    try await withTemporaryDirectory { folder in
      try await withNginx(serving: folder.path) { nginx in
        let unknown = try await curl(nginx.httpsOrigin)
        #expect(unknown.exitStatus == CurlExit.untrusted)
        for origin in [nginx.wrongHostOrigin, nginx.selfSignedOrigin] {
          let refused = try await curl(origin, ["--cacert", nginx.caFile])
          #expect(refused.exitStatus == CurlExit.untrusted)
          let careless = try await curl(origin, ["--insecure"])
          #expect(careless.exitStatus == 0)
        }
      }
    }
  }

  @Test("is stopped when the test throws")
  func failure() async throws {
    struct Expected: Error, Equatable {}
    let origin = SharedText()
    await #expect(throws: Expected()) {
      try await withTemporaryDirectory { folder in
        try await withNginx(serving: folder.path) { nginx in
          origin.set(nginx.httpOrigin)
          throw Expected()
        }
      }
    }
    #expect(try await curl(origin.text).exitStatus == CurlExit.cannotConnect)
  }
}
