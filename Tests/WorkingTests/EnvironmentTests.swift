import Glibc
import TestSupport
import Testing

/// A container is configured by its environment, and gets its secrets as files.
@Suite("The environment", .timeLimit(.minutes(5)))
struct EnvironmentTests {
  /// A wrong value for each option of `work`, and the message about it.
  static let wrong = [
    "allow-downgrade": ("perhaps", "PUSH_ENRICHER_ALLOW_DOWNGRADE: 'perhaps' is neither true nor false"),
    "allow-http": ("perhaps", "PUSH_ENRICHER_ALLOW_HTTP: 'perhaps' is neither true nor false"),
    "allow-network": ("everything", "PUSH_ENRICHER_ALLOW_NETWORK: 'everything' is not a range of addresses"),
    "allow-port": ("443,x", "PUSH_ENRICHER_ALLOW_PORT: 'x' is not a number"),
    "apply-texts": ("perhaps", "PUSH_ENRICHER_APPLY_TEXTS: 'perhaps' is neither true nor false"),
    "attachments-key": ("aps", "PUSH_ENRICHER_ATTACHMENTS_KEY: 'aps' cannot be the name"),
    "base-url": ("cdn", "PUSH_ENRICHER_BASE_URL: 'cdn' is not"),
    "ca-file": ("/nonexistent.pem", "/nonexistent.pem: No such file or directory"),
    "cache": (
      "1kB", "PUSH_ENRICHER_CACHE: '1kB' is too small for a cache: write 16384 or more, or 0 for none"
    ),
    "categories": ("/nonexistent.json", "/nonexistent.json: No such file or directory"),
    "concurrency": ("many", "PUSH_ENRICHER_CONCURRENCY: 'many' is not a number"),
    "config": ("/nonexistent.json", "PUSH_ENRICHER_CONFIG /nonexistent.json: No such file or directory"),
    "dead-letters": ("x:y", "PUSH_ENRICHER_DEAD_LETTERS: 'x:***' is not a queue"),
    "dead-tokens": ("x:y", "PUSH_ENRICHER_DEAD_TOKENS x:***: only APNs says which tokens are dead"),
    "deadline": ("soon", "PUSH_ENRICHER_DEADLINE: 'soon' is not a time"),
    "deny-network": ("10.0.0.1/8", "PUSH_ENRICHER_DENY_NETWORK: '10.0.0.1/8' has bits set after its prefix"),
    "device-api": ("here", "PUSH_ENRICHER_DEVICE_API: 'here' is not an address and port"),
    "cache-file": ("/tmp/cache", "the sandbox would have to open /tmp"),
    "device-api-certificate": (
      "/nonexistent", "PUSH_ENRICHER_DEVICE_API_CERTIFICATE: give --device-api as well"
    ),
    "device-api-key": ("/nonexistent", "PUSH_ENRICHER_DEVICE_API_KEY: give --device-api as well"),
    "door-token-file": ("/nonexistent", "/nonexistent"),
    "envelope": ("letter", "PUSH_ENRICHER_ENVELOPE: 'letter' is not a known envelope"),
    "from": ("x:y", "PUSH_ENRICHER_FROM: 'x:***' is not a queue"),
    "keys": ("/nonexistent.json", "/nonexistent.json"),
    "keys-dir": ("/nonexistent", "/nonexistent"),
    "limits": ("10MB", "PUSH_ENRICHER_LIMITS: '10MB' is not a limit"),
    "max-redirects": ("21", "PUSH_ENRICHER_MAX_REDIRECTS: '21' is"),
    "media-key": ("a..b", "PUSH_ENRICHER_MEDIA_KEY: “a..b”"),
    "payload-at": ("a..b", "PUSH_ENRICHER_PAYLOAD_AT: “a..b”"),
    "memory": ("plenty", "PUSH_ENRICHER_MEMORY: 'plenty' is not a number of bytes"),
    "name-servers": ("dns.example", "PUSH_ENRICHER_NAME_SERVERS: 'dns.example' is not a name server"),
    "public-url": ("cdn.example", "PUSH_ENRICHER_PUBLIC_URL: 'cdn.example' is not the start of a URL"),
    "push-queue": ("x:y", "PUSH_ENRICHER_PUSH_QUEUE: 'x:***' is not a queue"),
    "push-queue-keep": ("0", "PUSH_ENRICHER_PUSH_QUEUE_KEEP: '0' is not a number from 1 to 1000"),
    "push-queue-key": ("/nonexistent", "PUSH_ENRICHER_PUSH_QUEUE_KEY: the ticket key file /nonexistent"),
    "push-queue-size": ("1kB", "PUSH_ENRICHER_PUSH_QUEUE_SIZE: '1kB' is too small"),
    "require-all": ("perhaps", "PUSH_ENRICHER_REQUIRE_ALL: 'perhaps' is neither true nor false"),
    "require-sandbox": (
      "perhaps", "PUSH_ENRICHER_REQUIRE_SANDBOX: 'perhaps' is neither true nor false"
    ),
    "status": ("here", "PUSH_ENRICHER_STATUS: 'here' is not an address and port"),
    "spool": ("/nonexistent", "leave out --spool"),
    "store": ("s3://bucket", "PUSH_ENRICHER_STORE: this place cannot be used"),
    "to": ("x:y", "PUSH_ENRICHER_TO: 'x:***' is not a queue"),
    "until-empty": ("perhaps", "PUSH_ENRICHER_UNTIL_EMPTY: 'perhaps' is neither true nor false"),
    "user-agent": ("a\nb", "PUSH_ENRICHER_USER_AGENT: 'a"),
    "wait-for-queues": ("soon", "PUSH_ENRICHER_WAIT_FOR_QUEUES: 'soon' is not a time"),
    "when-store-fails": ("panic", "PUSH_ENRICHER_WHEN_STORE_FAILS: 'panic' is neither unmodified nor wait"),
    "write": ("in-place", "PUSH_ENRICHER_WRITE: 'in-place' is for URLs that devices can fetch"),
  ]

  @Test("the environment can set every option of work") func all() async throws {
    let help = try await PushEnricher.run(["work", "--help"]).output
    let options = Set(help.matches(of: #/--([a-z-]+)/#).map { String($0.output.1) })
    #expect(Set(Self.wrong.keys) == options.filter { !$0.hasPrefix("no-") }.subtracting(["help", "version"]))
  }

  @Test("the value of each option of work in the environment is checked", arguments: wrong.keys.sorted())
  func each(option: String) async throws {
    let (value, says) = try #require(Self.wrong[option])
    try await withTemporaryDirectory { folder in
      // Without these, the queues that are not under test would be created in the working directory.
      let queues = ["FROM", "TO", "DEAD_LETTERS"].map {
        ("PUSH_ENRICHER_\($0)", "sqlite:\(folder.path)/q.db?queue=\($0)")
      }
      let variable = "PUSH_ENRICHER_" + option.uppercased().replacing("-", with: "_")
      let run = try await PushEnricher.run(
        ["work"], environment: Dictionary(uniqueKeysWithValues: queues).merging([variable: value]) { $1 })
      #expect(run.termination == .exited(64))
      #expect(run.standardError.contains(says), "\(run.standardError)")
      #expect(run.standardError.split(separator: "\n").count == 1)
    }
  }

  @Test("the environment can name files with the URLs of queues, for all commands")
  func secrets() async throws {
    try await withTemporaryDirectory { folder in
      var environment = ["PUSH_ENRICHER_STORE": folder.path, "PUSH_ENRICHER_UNTIL_EMPTY": "yes"]
      for name in ["FROM", "TO", "DEAD_LETTERS"] {
        environment["PUSH_ENRICHER_\(name)_FILE"] = try folder.write(
          Array("sqlite:\(folder.path)/q.db?queue=\(name)\n".utf8), to: name, mode: 0o600)
      }
      for (arguments, input, output) in [
        (["enqueue"], "[1]\n", ""), (["work"], "", ""), (["dequeue"], "", "[1]\n"),
      ] {
        let run = try await PushEnricher.run(arguments, input: Array(input.utf8), environment: environment)
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(run.output == output)
      }
      let letters = try await PushEnricher.run(["dead-letters", "list"], environment: environment)
      #expect(letters.output.hasSuffix(" invalid-payload 3\n"))
      // The command line wins over the file, and works without it.
      let other = try await PushEnricher.run(
        ["dequeue", "--from", "sqlite:\(folder.path)/q.db?queue=other"], environment: environment)
      #expect(other.termination == .exited(0))
    }
  }

  @Test("an error about a wrong file of a URL says nothing of the file's contents")
  func wrongSecrets() async throws {
    try await withTemporaryDirectory { folder in
      let name = "PUSH_ENRICHER_FROM_FILE"
      let two = try folder.write(
        Array("redis://:s3cret@h/a\nredis://:s3cret@h/b\n".utf8), to: "two", mode: 0o600)
      let none = try folder.write([], to: "none", mode: 0o600)
      let url = try folder.write(Array("ftp://me:s3cret@host/x".utf8), to: "url", mode: 0o600)
      let word = try folder.write(Array("s3cret".utf8), to: "word", mode: 0o600)
      let port = try folder.write(Array("redis://me:s3cret/a".utf8), to: "port", mode: 0o600)
      let open = try folder.write(Array("redis://:s3cret@h/a".utf8), to: "open", mode: 0o604)
      let likes = "redis://HOST/STREAM or amqp://HOST/VHOST?queue=NAME"
      let rule = "its port is a number from 1 to 65535"
      let expected = [
        ([name: "/nonexistent"], "\(name) /nonexistent: No such file or directory"),
        (
          [name: open],
          "\(name) \(open): users other than its owner have access (mode 604): chmod 600 \(open), or in Kubernetes defaultMode: 0400 for the secret, and fsGroup in the pod's securityContext"
        ),
        ([name: two], "\(name) \(two) has 2 lines: write the value into it, and nothing else"),
        ([name: none], "\(name) \(none) has 0 lines: write the value into it, and nothing else"),
        ([name: url], "\(name): it holds no queue: write one like "),
        ([name: word], "\(name): it holds no queue: write one like "),
        ([name: port], "\(name): it holds no queue: write one like \(likes); \(rule)"),
        (
          [name: url, "PUSH_ENRICHER_FROM": "-"],
          "\(name): PUSH_ENRICHER_FROM is set as well: set one of the two"
        ),
      ]
      for (environment, says) in expected {
        let run = try await PushEnricher.run(["work"], environment: environment)
        #expect(run.termination == .exited(64))
        #expect(run.standardError.hasPrefix("push-enricher: \(says)"), "\(run.standardError)")
        #expect(!run.standardError.contains("s3cret"))
        #expect(run.standardError.split(separator: "\n").count == 1)
      }
    }
  }

  @Test("a variable that belongs to no option causes a warning, unless Kubernetes sets it")
  func unknown() async throws {
    try await withWorkplace(.sqlite) { place in
      let address = "10.0.0.1"
      let run = try await place.work(
        ["--until-empty"],
        environment: [
          "PUSH_ENRICHER_ALOW_PORT": "8443", "PUSH_ENRICHER_STORE_FILE": "/store", "PUSH_ENRICHER_CONFIG": "",
          "PUSH_ENRICHER_FROM_FILE": "", "PUSH_ENRICHER_CACHE": "0", "PUSH_ENRICHERS": "2",
          "PUSH_ENRICHER_PORT": "tcp://\(address):80", "PUSH_ENRICHER_PORT_80_TCP_ADDR": address,
          "PUSH_ENRICHER_PORT_80_TCP": "tcp://\(address):80", "PUSH_ENRICHER_SERVICE_HOST": address,
          "PUSH_ENRICHER_SERVICE_PORT_HTTP": "80", "PUSH_ENRICHER_STATUS_SERVICE_PORT": "80",
        ])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let warnings = run.standardError.split(separator: "\n").filter {
        $0.contains("an option that does not exist")
      }
      #expect(warnings.map { $0.contains(#""level":"warning""#) } == [true, true])
      #expect(warnings.first?.contains(#""variable":"PUSH_ENRICHER_ALOW_PORT""#) == true)
      #expect(warnings.last?.contains(#""variable":"PUSH_ENRICHER_STORE_FILE""#) == true)
    }
  }

  @Test("work ends at once and takes nothing if the memory is too small for a single transfer")
  func memory() async throws {
    try await withWorkplace(.sqlite) { place in
      try await place.publish([Errand(0, "[]", .unmodified("invalid-payload"))])
      let run = try await place.work([], environment: ["PUSH_ENRICHER_MEMORY": "1KB"])
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError
          == "push-enricher: 1000 bytes is too little memory for a single download: allow more with --memory\n"
      )
      #expect(try await place.contents("incoming").count == 1)
    }
  }

  @Test("work ends at once and takes nothing if it cannot write to the store")
  func store() async throws {
    try await withWorkplace(.sqlite) { place in
      try await place.publish([Errand(0, "[]", .unmodified("invalid-payload"))])
      let text = try place.folder.write([], to: "text")
      for (store, says) in [
        (
          "/nonexistent",
          "the directory /nonexistent does not exist: create it, or name another with --store (--spool for a bucket)"
        ),
        (text, "\(text) is not a directory: name a directory with --store (--spool for a bucket)"),
        // Not even root can write there.
        (
          "/proc",
          "the file system of /proc has no unnamed files (O_TMPFILE): use ext4, xfs, btrfs or tmpfs"
        ),
      ] {
        let run = try await place.work(["--store", store])
        #expect(run.termination == .exited(64))
        #expect(run.standardError == "push-enricher: \(says)\n")
      }
      #expect(try await place.contents("incoming").count == 1)
    }
  }
}
