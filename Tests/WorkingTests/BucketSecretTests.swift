import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// The bucket repeats what it refuses, as S3 does: the key, the text that was signed, the token.
@Suite("Keys of a bucket", .timeLimit(.minutes(5)))
struct BucketSecretTests {
  @Test("keys and tokens are in no log, no report and no result, also if the bucket repeats them")
  func secrets() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        bucket.change { $0.accounts = [Self.secret] }
        var told: [String] = []
        for (number, (secret, token, says)) in [
          ("concealed-key", "concealed-token", #""outcome":"enriched""#),
          ("concealed-other", "concealed-token", "(403 SignatureDoesNotMatch)"),
          ("concealed-key", "concealed-old", "(400 InvalidToken)"),
        ].enumerated() {
          let environment = Self.environment(secret, token)
          let errands = Errand.photos(number..<number + 1, each: place.server)
          try await place.publish(errands)
          let options = ["--store", bucket.place(), "--spool", place.store]
          let run = try await place.work(options + ["--until-empty"], environment: environment)
          #expect(run.standardError.contains(says), "\(run.standardError)")
          let report = place.folder.path(of: "report.json")
          let single = try await PushEnricher.run(
            ["enrich", "--explain", "--report", report, "--allow-http", "--allow-network", "127.0.0.0/8"]
              + ["--allow-port", "\(place.server.port)"] + options,
            input: errands[0].message.body, environment: environment)
          told += [run.standardError, single.output, single.standardError]
          told.append(String(decoding: try Files.read(report), as: UTF8.self))
        }
        told += Self.texts(of: try await place.contents("enriched"))
        Self.expectNoSecret(in: told)
      }
    }
  }

  @Test(
    "keys and tokens are on no page, in no log and in no command line of a worker whose bucket repeats them")
  func pages() async throws {
    try await withWorkplace(.sqlite) { place in
      try await withS3Server { bucket in
        bucket.change { $0.accounts = [Self.secret] }
        let other = S3Account(
          accessKey: Self.secret.accessKey, secretKey: "concealed-other", token: "concealed-token")
        let next = S3Account(
          accessKey: Self.secret.accessKey, secretKey: "concealed-key", token: "concealed-next")
        let options = ["--store", bucket.place(), "--spool", place.store, "--status", "127.0.0.1:0"]
        let run = try await place.work(
          options, environment: Self.environment(Self.secret.secretKey, "concealed-token")
        ) { worker in
          let origin = try await worker.statusOrigin()
          var told: [String] = []
          for (number, (account, says)) in [
            (Self.secret, #""outcome":"enriched""#), (other, "(403 SignatureDoesNotMatch)"),
            (next, "(400 InvalidToken)"),
          ].enumerated() {
            bucket.change { $0.accounts = [account] }
            try await place.publish(Errand.photos(number..<number + 1, each: place.server))
            try await place.wait(for: number + 1, in: "enriched")
            #expect(await eventually { worker.log.contains(says) }, "\(worker.log)")
            for (path, has) in [
              ("/", "<html"), ("/status.json", #""version""#), ("/metrics", "push_enricher_"),
              ("/readyz", "\n"),
            ] {
              let page = try await fetch(origin, path)
              #expect(page.contains(has) && page.hasSuffix("200"), "\(path): \(page)")
              told.append(page)
            }
          }
          let line = try Files.read("/proc/\(worker.process)/cmdline")
          let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
          #expect(words.contains("--status"))
          told += words
          Self.expectNoSecret(in: told)
          #expect(Glibc.kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        Self.expectNoSecret(in: [run.standardError] + Self.texts(of: try await place.contents("enriched")))
      }
    }
  }

  private static let secret = S3Account(
    accessKey: "ASIAVERYPRIVATE", secretKey: "concealed-key", token: "concealed-token")

  private static func environment(_ secretKey: String, _ token: String) -> [String: String] {
    [
      "AWS_ACCESS_KEY_ID": secret.accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_SESSION_TOKEN": token,
    ]
  }

  private static func texts(of results: [Message]) -> [String] {
    results.flatMap { [String(decoding: $0.body, as: UTF8.self)] + $0.headers.map(\.value) }
  }

  private static func expectNoSecret(in texts: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    for text in texts {
      #expect(
        !text.contains("concealed") && !text.contains(secret.accessKey), "\(text)",
        sourceLocation: sourceLocation)
    }
  }
}
