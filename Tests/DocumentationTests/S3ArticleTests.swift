import Misbehaving
import Notifications
import TestSupport
import Testing

/// Runs the recipes of the article S3 against a server that verifies their objects, and serves these with
/// nginx.
@Suite("The article S3", .timeLimit(.minutes(5)))
struct S3ArticleTests {
  /// The services of the recipes, in the order of the article, and how each differs from the others.
  private static let services:
    [(name: String, parameters: String, change: @Sendable (inout S3Server.Settings) -> Void)] = [
      ("AWS", "", { $0.region = "eu-central-1" }),
      (
        "R2", "&region=auto",
        {
          $0.region = "auto"
          $0.checksumRefusal = .notImplemented
        }
      ),
      ("MinIO", "", { $0.region = "us-east-1" }),
      (
        "Google", "&region=auto",
        {
          $0.region = "auto"
          $0.conditionRefusal = .notImplemented
          $0.checksumRefusal = .invalidArgument
        }
      ),
    ]

  @Test("each recipe works with a service like its own", arguments: 0..<4) func recipes(index: Int)
    async throws
  {
    let blocks = try Documentation.article("S3").blocks("ini")
    try #require(blocks.count == Self.services.count)
    var environment = variables(blocks[index])
    let service = Self.services[index]
    try await withTemporaryDirectory { folder in
      try await withHostileServer { media in
        try await withS3Server { server in
          server.change {
            $0.buckets = ["media-example"]
            service.change(&$0)
          }
          let account = S3Account(accessKey: "ASIATEST", secretKey: "secret", token: "token")
          try await withCredentialServer(account) { sts in
            if service.name == "AWS" {
              // What EKS gives to the pod.
              server.change { $0.accounts = [account] }
              let tokenFile = try folder.write(Array("web-identity".utf8), to: "token", mode: 0o600)
              environment.merge(sts.webIdentity(tokenFile: tokenFile)) { $1 }
            }
            let place = try #require(environment["PUSH_ENRICHER_STORE"])
            let here = "endpoint=\(server.endpoint())"
            environment["PUSH_ENRICHER_STORE"] =
              (place.contains("endpoint=")
                ? place.replacing(#/endpoint=[^&]+/#, with: here) : "\(place)&\(here)") + service.parameters
            let photo = Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")
            let payload = #"{"aps":{"alert":"a","mutable-content":1},"media":"\#(media.url(.serve(photo)))"}"#
            let run = try await PushEnricher.run(
              [
                "enrich", "--spool", folder.path, "--allow-http", "--allow-port", "\(media.port)",
                "--allow-network", "127.0.0.1/32",
              ], input: Array(payload.utf8), environment: environment)
            #expect(run.exitStatus == 0, "\(run.standardError)")
            let key = try #require(server.keys(in: "media-example").first)
            let url = try #require(environment["PUSH_ENRICHER_PUBLIC_URL"])
            let name = key.split(separator: "/").last ?? ""
            #expect(run.output.contains("\"url\":\"\(url)/\(name)\""))
            // The policy of the article has a right for each of these.
            #expect(server.questions.allSatisfy { ["PUT", "HEAD"].contains($0.method) })
          }
        }
      }
    }
  }

  @Test("store prune prints the lifecycle rule, and removes nothing") func lifecycle() async throws {
    let blocks = try Documentation.article("S3").blocks("console")
    let lines = try #require(blocks.last).split(separator: "\n")
    try #require(lines.count == 2)
    let command = String(lines[0].dropFirst(2))
      .replacing("push-enricher store", with: "\(PushEnricher.path) store")
    let run = try await Command("bash").run(["-c", command])
    #expect(run.output == "\(lines[1])\n")
    #expect(run.exitStatus == 64)
    #expect(run.standardError.contains("aws s3api put-bucket-lifecycle-configuration"))
  }

  @Test("the policy is JSON, and has two rights on the objects alone") func policy() throws {
    let block = try #require(try Documentation.article("S3").blocks("json").first)
    let root = try JSONDocument(Array(block.utf8)).root
    let statement = try #require(root["Statement"]?[0])
    #expect(root["Statement"]?[1] == nil)
    #expect(statement["Action"]?.elements.map(\.string) == ["s3:PutObject", "s3:GetObject"])
    #expect(statement["Resource"]?.string == "arn:aws:s3:::media-example/push/*")
  }

  @Test("nginx serves the bucket, and forbids browsers to guess") func nginx() async throws {
    let site = try #require(try Documentation.article("S3").blocks("nginx").first)
    try await withS3Server { bucket in
      bucket.change {
        $0.buckets = ["media-example"]
        $0.isPublic = true
      }
      let object = S3Server.Object(
        bytes: Array("picture".utf8), contentType: "image/png", cacheControl: "immutable",
        contentDisposition: "inline", modified: 0)
      bucket.setObject(object, "push/a.png", in: "media-example")
      try await withTemporaryDirectory { folder in
        let port = freePort()
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
          .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        let here = site.replacing("listen 8080;", with: "listen 127.0.0.1:\(port);")
          .replacing("minio.internal:9000", with: "127.0.0.1:\(bucket.port)")
        let file = try folder.write(
          Array(
            """
            daemon off; master_process off; pid \(folder.path)/nginx.pid; events {}
            http { access_log off; \(temporary)
            \(here) }

            """.utf8), to: "nginx.conf")
        let nginx = Daemon(
          "nginx", ["-c", file, "-e", "stderr", "-p", folder.path], name: "nginx", in: folder)
        func ask(_ path: String, _ options: [String] = []) async throws -> String {
          try await Command("curl").run(
            ["-q", "-sS", "-i", "--noproxy", "*"] + options + ["http://127.0.0.1:\(port)/\(path)"]
          ).output
        }
        #expect(try await eventually { try await ask("").hasPrefix("HTTP/") || nginx.hasEnded })
        #expect(!nginx.hasEnded, "\(nginx.output)")
        let answer = try await ask("push/a.png")
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\npicture"), "\(answer)")
        for field in [
          "Content-Type: image/png", "Cache-Control: immutable", "X-Content-Type-Options: nosniff",
          "Content-Security-Policy: sandbox; default-src 'none'",
        ] { #expect(answer.contains("\r\n\(field)\r\n")) }
        #expect(try await ask("push/a.png", ["-X", "PUT", "-d", "x"]).hasPrefix("HTTP/1.1 403 "))
        let missing = try await ask("push/b.png")
        #expect(missing.hasPrefix("HTTP/1.1 404 ") && missing.contains("nosniff"))
        try await nginx.kill()
      }
    }
  }

  private func variables(_ block: String) -> [String: String] {
    var variables: [String: String] = [:]
    for line in block.split(separator: "\n") {
      let sides = line.split(separator: "=", maxSplits: 1).map(String.init)
      if sides.count == 2 { variables[sides[0]] = sides[1] }
    }
    return variables
  }
}
