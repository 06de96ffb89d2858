import Enriching
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("A bucket that cannot be used", .timeLimit(.minutes(5)))
struct BucketFailureTests {
  @Test("leaves the payload as it came, in time, with what to do", arguments: BucketFailure.all)
  func unmodified(failure: BucketFailure) async throws {
    try await withBucket { bucket, server, options in
      var variables = S3Server.environment
      failure.prepare(bucket, &variables)
      let enriched = try await enrich(
        Push.naming(server.url(.serve(.photo))), options + failure.allOptions(bucket) + ["--explain"],
        environment: variables)
      #expect(enriched.run.standardOutput == enriched.input)
      #expect(enriched.run.termination == .exited(3))
      #expect(enriched.reason == failure.reason.rawValue)
      let line = enriched.told.last { $0.contains(" ms: ") } ?? ""
      for words in failure.says { #expect(line.contains(words), "\(line)") }
      // The duration includes the start and the end of the process, and the machine may be busy.
      #expect(enriched.run.duration < (failure.deadline ?? .seconds(30)) + .seconds(20))
      // If only the answer was lost, the object is there, and whole.
      let photo = try Files.read("\(Fixtures.media)/photo.jpg")
      #expect(bucket.media.allSatisfy { bucket.object($0)?.bytes == photo })
      let report = String(decoding: enriched.report?.bytes ?? [], as: UTF8.self)
      let everything = enriched.run.standardError + report
      for secret in ["AKIATEST", "AKIAOTHER", "secret+of", "token-of-the-tests", "AWS4-HMAC", "Signature="] {
        #expect(!everything.contains(secret), "\(secret)")
      }
    }
  }

  @Test("because its certificate is for another name, is not used") func certificate() async throws {
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withBucket(tls: tls) { bucket, server, options in
        let payload = Push.naming(server.url(.serve(.photo)))
        func run(_ host: String) async throws -> Enriched {
          let store = bucket.place().replacing("127.0.0.1", with: host)
          return try await enrich(
            payload, options + ["--store", store, "--ca-file", caFile], environment: S3Server.environment)
        }
        let good = try await run("127.0.0.1")
        #expect(good.outcome == "enriched", "\(good.line)")
        expectUnmodified(
          try await run("other.localhost"), .storeFailed,
          saying: "the certificate of other.localhost:\(bucket.port) is for other names; use the name")
        let unknown = try await enrich(payload, options, environment: S3Server.environment)
        expectUnmodified(unknown, .storeFailed, saying: "is not from an authority that this machine trusts")
      }
    }
  }

  /// How a bucket says that it is in another region than the one in `--store`.
  struct Redirection: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Nil for the server's own answer: 400 AuthorizationHeaderMalformed.
    var refusal: S3Refusal?
    var medium = Response.photo
    /// The statuses of the server's answers.
    let answers: [Int]

    static let all = [
      Redirection(testDescription: "400 with the region", answers: [400, 200]),
      Redirection(
        testDescription: "301 with the region",
        refusal: .permanentRedirect(to: "media.s3.eu-central-1.amazonaws.com", region: "eu-central-1"),
        answers: [301, 200]),
      Redirection(
        testDescription: "307 with the region",
        refusal: S3Refusal(
          307, "TemporaryRedirect", "",
          fields: [
            Response.Field("Location", "https://media.s3.eu-central-1.amazonaws.com/a"),
            Response.Field("x-amz-bucket-region", "eu-central-1"),
          ]), answers: [307, 200]),
      // The first request is a HEAD, whose answer has no text.
      Redirection(
        testDescription: "400 without a text", medium: .padded("photo.jpg", as: "image/jpeg", to: 300_000),
        answers: [400, 404, 200]),
    ]
  }

  @Test("because it is in another region gets the object there", arguments: Redirection.all)
  func otherRegion(redirection: Redirection) async throws {
    try await withBucket { bucket, server, options in
      if let refusal = redirection.refusal { bucket.plan(.refuses(refusal), next: 1) }
      let enriched = try await enrich(
        Push.naming(server.url(.serve(redirection.medium))),
        options + ["--store", bucket.place(region: "us-east-1")], environment: S3Server.environment)
      #expect(enriched.outcome == "enriched", "\(enriched.line)")
      #expect(bucket.questions.map(\.status) == redirection.answers)
      let name = try #require(bucket.media.first)
      #expect(bucket.media == [name])
      #expect(bucket.object(name).map { S3Signature.sha256($0.bytes) + ".jpg" } == name)
      #expect(enriched.run.output.contains(publicURL + name))
    }
  }

  @Test("for a moment is used again in the same run") func recovers() async throws {
    try await withBucket { bucket, server, options in
      bucket.plan(.refuses(.slowDown), next: 1)
      bucket.plan(.resets, next: 1)
      let enriched = try await enrich(
        Push.naming(server.url(.serve(.photo))), options, environment: S3Server.environment)
      #expect(enriched.outcome == "enriched", "\(enriched.line)")
      #expect(bucket.media.count == 1)
    }
  }
}
