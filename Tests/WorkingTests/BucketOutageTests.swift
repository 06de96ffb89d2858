import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// A way in which the bucket of a worker fails, and recovers.
struct BucketOutage: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let begin: @Sendable (S3Server, CredentialServer) -> Void
  let end: @Sendable (S3Server, CredentialServer) -> Void
  /// A part of the log.
  let says: String
  /// Whether the outage begins before the worker starts.
  var isFromStart = false

  static let all = [
    BucketOutage(
      testDescription: "the bucket vanishes", begin: { bucket, _ in bucket.change { $0.buckets = [] } },
      end: { bucket, _ in bucket.change { $0.buckets = ["media"] } },
      says: "does not exist (404 NoSuchBucket)"),
    BucketOutage(
      testDescription: "the key is withdrawn", begin: { bucket, _ in bucket.change { $0.accounts = [] } },
      end: { bucket, _ in bucket.change { $0.accounts = [account] } },
      says: "does not know the access key (403 InvalidAccessKeyId)"),
    BucketOutage(
      testDescription: "the token expires", refused: .expiredToken("token-of-the-tests"),
      says: "has expired or is not valid (400 ExpiredToken)"),
    BucketOutage(
      testDescription: "it redirects to another host",
      refused: .temporaryRedirect(to: "https://evil.example/media/a"),
      says: "redirects to evil.example: redirects to other hosts are not followed"),
    BucketOutage(
      testDescription: "its answers are cut", begin: { bucket, _ in bucket.plan(.cutsAnswer) },
      end: { bucket, _ in bucket.recover() }, says: "closed the connection "),
    BucketOutage(
      testDescription: "the metadata service is silent",
      begin: { _, services in services.change { $0.isSilent = true } },
      end: { _, services in services.change { $0.isSilent = false } },
      says: "did not answer within 1 s", isFromStart: true),
  ]

  static let account = S3Account(
    accessKey: "ASIATEST", secretKey: "secret+of/the=tests", token: "token-of-the-tests")
}

extension BucketOutage {
  private init(testDescription: String, refused refusal: S3Refusal, says: String) {
    self.init(
      testDescription: testDescription, begin: { bucket, _ in bucket.plan(.refuses(refusal)) },
      end: { bucket, _ in bucket.recover() }, says: says)
  }
}

/// A bucket that fails, or that is missing, while a worker runs.
@Suite("Outages of a bucket", .timeLimit(.minutes(5)))
struct BucketOutageTests {
  /// How many payloads go out unmodified before a worker waits.
  private static let tolerance = 3

  @Test("are reported at the start, once, with what to do") func atStart() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        bucket.plan(.refuses(.slowDown))
        let run = try await place.work(
          ["--store", bucket.place(), "--spool", place.store, "--until-empty"],
          environment: S3Server.environment)
        #expect(run.termination == .exited(0))
        let told = run.standardError.split(separator: "\n").filter {
          $0.contains("the store fails: payloads go out without their media until it works")
        }
        #expect(told.count == 1)
        #expect(told.first?.contains(#""advice":"wait, or raise the limits of the store"#) == true)
      }
    }
  }

  @Test("use up no backlog if the worker waits for the bucket", arguments: BucketOutage.all)
  func waits(outage: BucketOutage) async throws {
    try await withWorkplace(.sqlite) { place in
      try await withCredentialServer(BucketOutage.account) { services in
        try await withS3Server { bucket in
          bucket.change { $0.accounts = [BucketOutage.account] }
          let errands = Errand.photos(0..<9, each: place.server)
          let failing = outage.isFromStart ? 0 : Self.tolerance
          if outage.isFromStart { outage.begin(bucket, services) }
          let run = try await place.work(
            Self.options(place, bucket) + ["--when-store-fails", "wait", "--status", "127.0.0.1:0"],
            environment: services.instance
          ) { worker in
            let origin = try await worker.statusOrigin()
            if !outage.isFromStart {
              try await place.publish(errands[..<1])
              try await place.wait(for: 1, in: "enriched")
              outage.begin(bucket, services)
              try await place.publish(errands[1...])
              try await place.wait(for: 1 + failing, in: "enriched")
            } else {
              try await place.publish(errands)
            }
            let done = outage.isFromStart ? 0 : 1 + failing
            #expect(
              try await eventually {
                let page = try await fetch(origin, "/readyz")
                return page.contains(", because the store fails (") && page.hasSuffix("\n503")
              })
            #expect(worker.log.contains(outage.says), "\(worker.log)")
            // The worker goes on trying, and takes nothing.
            let asked = Self.questions(bucket, services)
            #expect(await eventually { Self.questions(bucket, services) >= asked + 2 })
            #expect(try await place.contents("enriched").count == done)
            #expect(try await place.contents("incoming").count == errands.count - done)

            outage.end(bucket, services)
            try await place.wait(for: errands)
            #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
            #expect(Glibc.kill(worker.process, SIGTERM) == 0)
          }
          #expect(run.termination == .exited(0), "\(run.standardError)")
          let results = try await place.contents("enriched")
          let failed = results.filter { $0.header("enrich-reason") == "store-failed" }
          #expect(failed.count == failing)
          let names = Set(failed.map(\.id))
          expectEach(
            of: errands.filter { !names.contains($0.message.id) },
            once: results.filter { !names.contains($0.id) })
          Self.expectUnmodified(failed, errands)
        }
      }
    }
  }

  @Test("that are there at the start end the worker, and the payloads wait in their queue")
  func start() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        let errands = Errand.photos(0..<3, each: place.server)
        try await place.publish(errands)
        let options = Self.options(place, bucket) + ["--when-store-fails", "wait", "--until-empty"]
        bucket.change { $0.buckets = ["other"] }
        let missing = try await place.work(options, environment: S3Server.environment)
        #expect(missing.termination == .exited(64))
        let told = missing.standardError
        #expect(told.contains("does not exist (404 NoSuchBucket)"), "\(told)")
        let unknown = try await place.work(
          options, environment: ["AWS_ACCESS_KEY_ID": "AKIAOTHER", "AWS_SECRET_ACCESS_KEY": "x"])
        #expect(unknown.termination == .exited(64))
        #expect(try await place.contents("incoming").count == errands.count)
        bucket.change { $0.buckets = ["media"] }
        let run = try await place.work(options, environment: S3Server.environment)
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, once: try await place.contents("enriched"))
      }
    }
  }

  @Test("between two payloads leave the first one enriched, and tell what to do about the second one")
  func vanishes() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        let errands = Errand.photos(0..<2, each: place.server)
        let run = try await place.work(Self.options(place, bucket), environment: S3Server.environment) {
          worker in
          try await place.publish(errands[..<1])
          try await place.wait(for: 1, in: "enriched")
          bucket.change { $0.buckets = [] }
          try await place.publish(errands[1...])
          try await place.wait(for: 2, in: "enriched")
          #expect(Glibc.kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        let body = String(decoding: errands[1].message.body, as: UTF8.self)
        expectEach(
          of: [errands[0], Errand(1, body, .unmodified("store-failed"))],
          once: try await place.contents("enriched"))
        #expect(
          run.standardError.contains(
            "the bucket media at 127.0.0.1:\(bucket.port) does not exist (404 NoSuchBucket)"))
        #expect(run.standardError.contains("create it, or name another with --store"))
      }
    }
  }

  /// A bucket may ask for fewer requests for this long. A single payload asks for a second and a half at
  /// most.
  private static let busyTime = Duration.seconds(60)

  @Test("that pass by themselves are over by themselves", arguments: ["unmodified", "wait"])
  func busy(way: String) async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        let errands = Errand.photos(0..<10, each: place.server)
        let run = try await place.work(
          Self.options(place, bucket) + ["--when-store-fails", way], environment: S3Server.environment
        ) { worker in
          try await place.publish(errands[..<1])
          try await place.wait(for: 1, in: "enriched")
          bucket.plan(.refuses(.slowDown), for: Self.busyTime)
          let end = ContinuousClock.now + Self.busyTime
          try await place.publish(errands[1..<9])
          try await Task.sleep(until: end)
          try await place.publish(errands[9...])
          try await place.wait(for: errands)
          #expect(Glibc.kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        let results = try await place.contents("enriched")
        let failed = results.filter { $0.header("enrich-reason") == "store-failed" }
        let names = Set(failed.map(\.id))
        expectEach(
          of: errands.filter { !names.contains($0.message.id) },
          once: results.filter { !names.contains($0.id) })
        Self.expectUnmodified(failed, errands)
        #expect(!names.contains("m9"))
        #expect(failed.count >= 1)
        if way == "wait" { #expect(failed.count <= Self.tolerance) }
        #expect(run.standardError.contains("asks for fewer requests (503 SlowDown)"))
      }
    }
  }

  private static func options(_ place: Workplace, _ bucket: S3Server) -> [String] {
    ["--store", bucket.place(), "--spool", place.store, "--concurrency", "8"]
  }

  /// How many requests the bucket and the services for credentials have got.
  private static func questions(_ bucket: S3Server, _ services: CredentialServer) -> Int {
    bucket.questions.count + services.requests.count
  }

  private static func expectUnmodified(_ results: [Message], _ errands: [Errand]) {
    let bodies = Dictionary(uniqueKeysWithValues: errands.map { ($0.message.id, $0.message.body) })
    for result in results { #expect(result.body == bodies[result.id], "\(result.id)") }
  }
}
