import Enriching
import Glibc
import Misbehaving
import Notifications
import TestSupport
import Testing

/// `--store s3://…`, with the program as users start it.
@Suite("A bucket", .timeLimit(.minutes(5)))
struct BucketTests {
  @Test("gets the media of a payload, which names them by --public-url") func enriches() async throws {
    try await withBucket { bucket, server, options in
      let payload = Push.naming(server.url(.serve(.photo)))
      let enriched = try await enrich(payload, options, environment: S3Server.environment)
      #expect(enriched.outcome == "enriched", "\(enriched.line)")
      let name = try #require(bucket.media.first)
      #expect(enriched.run.output.contains(publicURL + name))
      #expect(bucket.object(name)?.bytes == (try Files.read("\(Fixtures.media)/photo.jpg")))
      #expect(bucket.object(name)?.contentType == "image/jpeg")
      #expect(enriched.stored == [])
    }
  }

  @Test("with a cache gets one PUT for many runs") func cached() async throws {
    try await withBucket { bucket, server, options in
      let photo = Behaviour.serve(
        Response(
          .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg",
          fields: [.init("Cache-Control", "max-age=60")]))
      for _ in 0..<3 {
        let enriched = try await enrich(
          Push.naming(server.url(photo)), options + ["--cache", "1MB"], environment: S3Server.environment)
        #expect(enriched.outcome == "enriched", "\(enriched.line)")
      }
      #expect(server.requests(for: photo).count == 1)
      #expect(bucket.questions.map(\.method) == ["PUT", "HEAD", "HEAD"])
    }
  }

  @Test("is out of reach of the URLs in payloads, as is the metadata service") func strangers() async throws {
    try await withBucket { bucket, _, options in
      bucket.change { $0.isPublic = true }
      let own = options.filter { !["--allow-network", "127.0.0.0/8"].contains($0) }
      for url in [
        "\(bucket.endpoint())/media/a.jpg", "http://169.254.169.254/latest/meta-data/",
        "http://169.254.170.2/v2/credentials", "http://[fd00:ec2::254]/latest/meta-data/",
      ] {
        let enriched = try await enrich(
          Push.naming(url), own + ["--allow-port", "\(bucket.port)"], environment: S3Server.environment)
        #expect(enriched.reason == "address-blocked", "\(enriched.line)")
        #expect(enriched.run.standardOutput == enriched.input)
      }
      #expect(bucket.questions == [])
    }
  }

  @Test(
    "is reached out of the sandbox without an option for its address or port, and with the spool in TMPDIR",
    .needsSandbox, arguments: ["enrich", "work"])
  func confined(command: String) async throws {
    try await withTemporaryDirectory { folder in
      // The options open one address and one port, which are not those of the bucket.
      try await withHostileServer(on: "127.0.0.2") { server in
        try await withS3Server { bucket in
          let payload = Push.naming(server.url(.serve(.photo)))
          let queues = ["--from", "-", "--to", "-", "--dead-letters", "sqlite:\(folder.path)/dead.db"]
          let run = try await PushEnricher.run(
            [
              command, "--require-sandbox", "--allow-http", "--allow-network", "127.0.0.2/32", "--allow-port",
              "\(server.port)", "--store", bucket.place(), "--public-url", publicURL,
            ] + (command == "work" ? queues : []), input: payload + [10],
            environment: S3Server.environment.merging(["TMPDIR": folder.path]) { $1 })
          #expect(run.termination == .exited(0), "\(run.standardError)")
          let name = try #require(bucket.media.first, "\(run.standardError)")
          #expect(bucket.object(name)?.bytes == (try Files.read("\(Fixtures.media)/photo.jpg")))
          #expect(run.output.contains(publicURL + name))
          let spool = "push-enricher-\(geteuid())"
          #expect(folder.names.contains(spool))
          #expect(Files.names(in: folder.path(of: spool)) == [])
          // Even then, payloads cannot name this address.
          bucket.change { $0.isPublic = true }
          let stranger = try await PushEnricher.run(
            [
              "enrich", "--require-sandbox", "--allow-http", "--allow-network", "127.0.0.2/32",
              "--allow-port",
              "\(bucket.port)", "--store", bucket.place(),
            ], input: Push.naming("\(bucket.endpoint())/media/\(name)"),
            environment: S3Server.environment.merging(["TMPDIR": folder.path]) { $1 })
          #expect(stranger.standardError.contains("address-blocked"), "\(stranger.standardError)")
          #expect(bucket.questions("GET") == [])
        }
      }
    }
  }

  @Test("ends work at the start with status 64 if nothing can be stored in it") func work() async throws {
    try await withBucket { bucket, _, options in
      try await withTemporaryDirectory { folder in
        let queues = [
          "--from", "sqlite:\(folder.path)/q.db?queue=a", "--to", "sqlite:\(folder.path)/q.db?queue=b",
        ]
        let words = ["work", "--until-empty"] + options + queues
        let started = try await PushEnricher.run(words, environment: S3Server.environment)
        #expect(started.termination == .exited(0), "\(started.standardError)")
        #expect(bucket.keys() == [S3Server.trialName])
        bucket.change { $0.buckets = [] }
        let missing = try await PushEnricher.run(words, environment: S3Server.environment)
        #expect(missing.termination == .exited(64))
        #expect(
          missing.standardError.contains(
            "the bucket media at 127.0.0.1:\(bucket.port) does not exist (404 NoSuchBucket): create it"))
        let unknown = try await PushEnricher.run(
          words, environment: ["AWS_ACCESS_KEY_ID": "AKIAOTHER", "AWS_SECRET_ACCESS_KEY": "x"])
        #expect(unknown.termination == .exited(64))
      }
    }
  }

  @Test("has its lifecycle rule printed by store prune, and loses nothing") func prune() async throws {
    try await withBucket { bucket, _, _ in
      let run = try await PushEnricher.run([
        "store", "prune", "--older-than", "30d", "--store", bucket.place("media/a"),
      ])
      #expect(run.termination == .exited(64))
      let rules = try #require(try JSONDocument(run.standardOutput).root["Rules"]?.elements)
      let rule = try #require(Array(rules).first)
      #expect(rule["Filter"]?["Prefix"]?.string == "a/")
      #expect(rule["Expiration"]?["Days"]?.spelling == "30")
      #expect(bucket.questions == [])
    }
  }
}

/// Runs `body` with a bucket, a media server and the options that lead to both.
func withBucket(
  tls: TLSServerContext? = nil, _ body: (S3Server, HostileServer, [String]) async throws -> Void
) async throws {
  try await withTemporaryDirectory { spool in
    try await withHostileServer { server in
      try await withS3Server(tls: tls) { bucket in
        try await body(
          bucket, server,
          reaching(server.port) + ["--store", bucket.place(), "--spool", spool.path])
      }
    }
  }
}
