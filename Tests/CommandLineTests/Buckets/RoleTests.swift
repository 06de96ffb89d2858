import Enriching
import Glibc
import Misbehaving
import TestSupport
import Testing

/// Credentials that do not come from variables. The program is confined as usual.
@Suite("A role", .timeLimit(.minutes(5)))
struct RoleTests {
  private static let account = S3Account(accessKey: "AKIATEST", secretKey: "secret+of/the=tests")

  @Test("of a container is used beside a configuration that has only a region", .needsSandbox)
  func regionOnly() async throws {
    try await withRole("[default]\nregion = eu-central-1\n") { payload, options, variables, home in
      let enriched = try await enrich(payload, options, environment: variables)
      #expect(enriched.outcome == "enriched", "\(enriched.run.standardError)")
      // If the place has no region, the program reads it from the configuration.
      let place = try #require(options.firstIndex { $0.hasPrefix("s3://") })
      var shorter = options
      shorter[place] = options[place].replacing("region=eu-central-1&", with: "")
      let found = try await enrich(payload, shorter, environment: variables)
      #expect(found.outcome == "enriched", "\(found.run.standardError)")
    }
  }

  @Test("of a profile is not supported, and the error says so", .needsSandbox) func profile() async throws {
    try await withRole("[default]\nrole_arn = r\n") { payload, options, variables, _ in
      let enriched = try await enrich(payload, options, environment: variables)
      expectUnmodified(
        enriched, .storeFailed, saying: "the profile \"default\" has role_arn, which is not supported here")
    }
  }

  @Test("of a container is used by a user whose HOME is another user's") func foreignHome() async throws {
    try await withRole("") { payload, options, variables, home in
      // This user may not have access to the build folder.
      let (program, store) = ("\(home)/push-enricher", "\(home)/spool")
      try await Command("cp").runSuccessfully([PushEnricher.path, program])
      #expect(unsafe mkdir(store, 0o777) == 0)
      #expect(unsafe chmod(home, 0o755) == 0 && chmod(store, 0o777) == 0 && chmod("\(home)/.aws", 0) == 0)
      defer { unsafe chmod("\(home)/.aws", 0o700) }
      let user = getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
      let words = user + [program, "enrich"] + options + ["--spool", store, "--public-url", publicURL]
      for (named, says) in [
        ([:], "enriched in "),
        (
          ["AWS_CONFIG_FILE": "\(home)/.aws/config"],
          "\(home)/.aws/config cannot be read: Permission denied"
        ),
      ] {
        let run = try await Turns.shared.take {
          try await Command(words[0]).run(
            Array(words.dropFirst()), input: payload, environment: variables.merging(named) { $1 })
        }
        #expect(run.standardError.contains(says), "\(run.standardError)")
      }
    }
  }

  /// Runs `body` with a bucket, the service for containers, and a home with this configuration.
  private func withRole(
    _ config: String, _ body: ([UInt8], [String], [String: String], String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { home in
      try #require(unsafe mkdir(home.path(of: ".aws"), 0o700) == 0)
      try home.write(Array(config.utf8), to: ".aws/config")
      try await withBucket { _, server, options in
        try await withCredentialServer(Self.account) { service in
          let variables = service.container.merging(["HOME": home.path]) { $1 }
          try await body(Push.naming(server.url(.serve(.photo))), options, variables, home.path)
        }
      }
    }
  }
}
