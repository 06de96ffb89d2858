import Misbehaving
import TestSupport
import Testing

/// Uses curl's signer, which is neither the project's nor the server's.
@Suite("The object store of tests")
struct S3ServerTests {
  static func put(
    _ server: S3Server, _ key: String, _ body: String, _ options: [String] = [], host: String = "127.0.0.1"
  ) async throws -> String {
    try await S3Curl(server.endpoint(host: host)).ask(key, body: body, options).output
  }

  @Test("keeps what curl puts, and gives it back")
  func keeps() async throws {
    try await withS3Server { server in
      let fields = ["-H", "Cache-Control: immutable", "-H", "Content-Disposition: inline"]
      #expect(try await Self.put(server, "media/a/b.png", "picture", fields) == "\n200")
      let object = try #require(server.object("a/b.png"))
      #expect(String(decoding: object.bytes, as: UTF8.self) == "picture")
      #expect(object.contentType == "image/png")
      #expect(object.cacheControl == "immutable")
      #expect(object.contentDisposition == "inline")
      #expect(try await S3Curl(server.endpoint()).ask("media/a/b.png").output == "picture\n200")
      let head = try await S3Curl(server.endpoint()).ask("media/a/b.png", ["--head"]).output
      #expect(head.contains("Content-Length: 7\r\n") && head.hasSuffix("\n200"))
      #expect(try await S3Curl(server.endpoint()).ask("media/other", ["--head"]).output.hasSuffix("\n404"))
      #expect(server.keys() == ["a/b.png"])
      #expect(try await S3Curl(server.endpoint()).ask("media/a/b.png", ["-X", "DELETE"]).output == "\n204")
      #expect(server.keys() == [])
      #expect(server.questions("PUT").map(\.status) == [200])
      #expect(server.questions("PUT").map(\.bodyCount) == [7])
    }
  }

  @Test("a bucket may be in the host or in the path")
  func addresses() async throws {
    try await withS3Server { server in
      let options = ["--resolve", "media.localhost:\(server.port):127.0.0.1"]
      let status = try await Self.put(server, "a.png", "picture", options, host: "media.localhost")
      #expect(status == "\n200")
      #expect(try await S3Curl(server.endpoint()).ask("media/a.png").output == "picture\n200")
      #expect(try await Self.put(server, "elsewhere/a.png", "picture").contains("<Code>NoSuchBucket</Code>"))
    }
  }

  @Test("refuses what S3 refuses, with the right region in the error")
  func refuses() async throws {
    try await withS3Server { server in
      var client = S3Curl(server.endpoint())
      client.region = "us-west-2"
      let wrong = try await client.ask("media/a").output
      #expect(wrong.contains("<Region>eu-central-1</Region>") && wrong.hasSuffix("\n400"))
      let forger = S3Curl(server.endpoint(), as: S3Account(accessKey: "AKIATEST", secretKey: "other"))
      let forged = try await forger.ask("media/a").output
      #expect(forged.contains("<Code>SignatureDoesNotMatch</Code>") && forged.hasSuffix("\n403"))
      #expect(try await curl("\(server.endpoint())/media/a").output.contains("<Code>AccessDenied</Code>"))
      server.change { $0.clockOffset = 901 }
      #expect(
        try await S3Curl(server.endpoint()).ask("media/a").output.contains(
          "<Code>RequestTimeTooSkewed</Code>"))
    }
  }

  @Test("a condition lets one of many writers win, or is not known")
  func conditions() async throws {
    try await withS3Server { server in
      let condition = ["-H", "If-None-Match: *"]
      let statuses = try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask { String(try await Self.put(server, "media/a", "\(number)", condition).suffix(3)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }.sorted()
      }
      #expect(statuses == ["200"] + Array(repeating: "412", count: 7))
      server.change { $0.conditionRefusal = .notImplemented }
      #expect(try await Self.put(server, "media/b", "text", condition).hasSuffix("\n501"))
      #expect(server.keys() == ["a"])
    }
  }

  @Test("misbehaves as planned, and recovers")
  func faults() async throws {
    try await withS3Server { server in
      server.plan(.refuses(.slowDown), on: ["PUT"], next: 2)
      server.plan(.resets, next: 1)
      server.plan(.cutsAnswer, on: ["GET"], next: 1)
      server.plan(.refusesEarly(.internalError), next: 1)
      server.plan(.answers(.init(307)), next: 1)
      let text = String(repeating: "text", count: 1_000)
      for _ in 0..<2 { #expect(try await Self.put(server, "media/a", text).hasSuffix("\n503")) }
      #expect(
        try await S3Curl(server.endpoint()).ask("media/a", body: text).exitStatus == CurlExit.receiveFailed)
      #expect(server.keys() == ["a"])
      #expect(try await S3Curl(server.endpoint()).ask("media/a").exitStatus == CurlExit.partialFile)
      #expect(try await Self.put(server, "media/a", "text").hasSuffix("\n500"))
      #expect(try await Self.put(server, "media/a", "text") == "\n307")
      #expect(try await Self.put(server, "media/b", "text") == "\n200")
      server.plan(.hangs)
      let hanging = try await curl("\(server.endpoint())/media/a", limit: 1)
      #expect(hanging.exitStatus == CurlExit.timedOut)
      server.recover()
      #expect(try await Self.put(server, "media/c", "text") == "\n200")
    }
  }

  @Test("a body that does not arrive whole is not kept")
  func cutBodies() async throws {
    try await withS3Server { server in
      let length = ["-X", "PUT", "-H", "Content-Length: 10", "--data-binary", "text"]
      _ = try await curl("\(server.endpoint())/media/a", length, limit: 1)
      // On a busy machine, curl may have ended before that.
      #expect(await eventually { server.questions("PUT").count == 1 })
      server.plan(.resetsInBody(after: 2), next: 1)
      let reset = try await S3Curl(server.endpoint()).ask("media/a", body: "text")
      #expect(reset.exitStatus == CurlExit.receiveFailed)
      #expect(server.keys() == [])
    }
  }

  @Test("works over TLS")
  func tls() async throws {
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withS3Server(tls: tls) { server in
        let trust = ["--cacert", caFile]
        let status = try await Self.put(server, "media/a", "text", trust, host: "localhost")
        #expect(status == "\n200")
      }
    }
  }

  @Test("gives credentials as IMDSv2, to containers and as STS")
  func credentials() async throws {
    let account = S3Account(accessKey: "ASIATEST", secretKey: "secret", token: "token", end: 1_369_353_600)
    try await withCredentialServer(account) { server in
      let place = "\(server.endpoint)/latest/meta-data/iam/security-credentials/"
      let token = try await curl(
        "\(server.endpoint)/latest/api/token",
        ["-X", "PUT", "-H", "X-aws-ec2-metadata-token-ttl-seconds: 60"]
      ).output
      let field = ["-H", "X-aws-ec2-metadata-token: \(token)"]
      #expect(try await curl(place, field).output == "push-enricher")
      let expected = #""Expiration" : "2013-05-24T00:00:00Z""#
      #expect(try await curl("\(place)push-enricher", field).output.contains(expected))
      #expect(try await curl(place, ["-w", "%{http_code}"]).output == "401")
      #expect(try await curl("\(server.endpoint)/v1/credentials").output.contains(#""Token" : "token""#))
      let form =
        "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleSessionName=a&WebIdentityToken=web-identity"
      let role = "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fpush-enricher"
      let answer = try await curl(server.endpoint, ["--data", form + role]).output
      #expect(answer.contains("<SessionToken>token</SessionToken>"))
      #expect(try await curl(server.endpoint, ["--data", form]).output.contains("AccessDenied"))
      server.change { $0.isSilent = true }
      #expect(try await curl(place, field, limit: 1).exitStatus == CurlExit.timedOut)
    }
  }
}
