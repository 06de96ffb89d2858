import Glibc
import Misbehaving
import TestSupport
import Testing

/// Files that the program writes contain texts and signed URLs. Only its user may read them,
/// whatever the umask.
@Suite("Modes of files", .timeLimit(.minutes(5)))
struct FileModeTests {
  private static let script = #"umask "$0" && cd "$1" && shift && exec "$@""#

  /// Runs the program in `folder`.
  private func run(
    _ arguments: [String], umask: String, in folder: String, input: String = ""
  ) async throws -> Run {
    let run = try await Command("sh").run(
      ["-c", Self.script, umask, folder, PushEnricher.path] + arguments, input: Array(input.utf8))
    #expect(run.termination == .exited(0), "\(arguments): \(run.standardError)")
    return run
  }

  @Test("all files that the program makes are for its user only", arguments: ["000", "022", "027", "077"])
  func own(umask: String) async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let payload =
          #"{"aps":{"alert":"a","mutable-content":1},"media":{"url":"\#(server.url(.serve(.file("photo.jpg", "image/jpeg"))))"}}"#
        let reaching = ["--allow-http", "--allow-network", "127.0.0.0/8", "--allow-port", "\(server.port)"]
        _ = try await run(["enqueue"], umask: umask, in: folder.path, input: "\(payload)\n")
        // While a worker runs, all files of SQLite exist.
        let arguments = ["work", "--cache", "1MB"] + reaching
        let worker = Daemon(
          "sh", ["-c", Self.script, umask, folder.path, PushEnricher.path] + arguments, name: "work",
          in: folder)
        #expect(try await worker.wait { $0.contains(#""outcome":"enriched""#) }, "\(worker.output)")
        for name in ["push-enricher.db", "push-enricher.db-wal", "push-enricher.db-shm"] {
          #expect(Files.mode(of: folder.path(of: name)) == "600", "\(name)")
        }
        #expect(Files.mode(of: folder.path(of: "attachments/.push-enricher-cache")) == "600")
        #expect(Files.mode(of: folder.path(of: "attachments")) == "700")
        try await worker.kill()
        // The operator decides who may enter the store. Everybody who may can read its files.
        let photo = try #require(
          Files.names(in: folder.path(of: "attachments")).first { $0.hasSuffix(".jpg") })
        let mode = ["000": "644", "022": "644", "027": "640", "077": "600"][umask]
        #expect(Files.mode(of: folder.path(of: "attachments/\(photo)")) == mode)
        #expect(!worker.output.contains("users other than the owner"))

        let report = try await run(
          [
            "enrich", "--report", "report.json", "--store", "attachments", "--public-url",
            "https://cdn.example",
          ]
            + reaching, umask: umask,
          in: folder.path,
          input: payload)
        #expect(Files.mode(of: folder.path(of: "report.json")) == "600")
        #expect(report.standardError.split(separator: "\n").count == 1)
      }
    }
  }

  @Test(
    "files next to a database have the mode of the database, whatever the umask",
    arguments: ["enqueue", "dequeue", "work"])
  func shared(command: String) async throws {
    try await withTemporaryDirectory { folder in
      // An empty file becomes a queue.
      #expect(unsafe chmod(try folder.write([], to: "push-enricher.db"), 0o660) == 0)
      if command == "work" {
        let worker = Daemon(
          "sh", ["-c", Self.script, "077", folder.path, PushEnricher.path, command], name: "work", in: folder)
        // SQLite fills the file when it opens the database.
        let index = folder.path(of: "push-enricher.db-shm")
        #expect(try await eventually { try Files.exists(index) && Files.size(of: index) > 0 })
        try await worker.kill()
      } else {
        _ = try await run([command], umask: "077", in: folder.path, input: "[1]\n")
      }
      for suffix in ["", "-lock", "-shm", "-wal"] {
        #expect(Files.mode(of: folder.path(of: "push-enricher.db\(suffix)")) == "660", "\(suffix)")
      }
    }
  }

  @Test("a queue behind a symbolic link to a missing file is also made for its user only") func dangling()
    async throws
  {
    try await withTemporaryDirectory { folder in
      #expect(unsafe symlink("real.db", folder.path(of: "push-enricher.db")) == 0)
      _ = try await run(["enqueue"], umask: "000", in: folder.path, input: "[1]\n")
      #expect(Files.mode(of: folder.path(of: "real.db")) == "600")
    }
  }

  @Test("files that other users can already read cause one warning, and keep their modes") func wide()
    async throws
  {
    try await withTemporaryDirectory { folder in
      _ = try await run(["enqueue"], umask: "022", in: folder.path, input: "[1]\n")
      #expect(unsafe mkdir(folder.path(of: "attachments"), 0o755) == 0)
      for name in ["report.json", "attachments/.push-enricher-cache"] { try folder.write([], to: name) }
      // The modes that earlier versions gave them.
      let queue = "push-enricher.db"
      let side = ["", "-wal", "-shm"].map { queue + $0 }
      for name in side { #expect(unsafe chmod(folder.path(of: name), 0o644) == 0) }
      let work = try await run(["work", "--until-empty", "--cache", "1MB"], umask: "022", in: folder.path)
      let warnings = work.told.filter { $0.contains("users other than the owner") }
      let directory =
        "chmod 700 ./attachments, or name it with --store if another user's web server has to read it"
      let start = "push-enricher: users other than the owner have access to "
      #expect(
        warnings == [
          "\(start)\(side.joined(separator: ", ")) (mode 644): chmod 600 \(side.joined(separator: " "))",
          "\(start)./attachments/.push-enricher-cache (mode 644): chmod 600 ./attachments/.push-enricher-cache",
          "\(start)./attachments (mode 755): \(directory)",
        ])
      let levels = work.standardError.split(separator: "\n").filter {
        $0.contains("users other than the owner")
      }
      #expect(levels.allSatisfy { $0.contains(#""level":"warning""#) })
      #expect(Files.mode(of: folder.path(of: queue)) == "644")
      #expect(Files.mode(of: folder.path(of: "attachments")) == "755")
      // If --store names a directory, its mode is up to its owner.
      let named = try await run(
        ["work", "--until-empty", "--store", "attachments"], umask: "022", in: folder.path)
      #expect(named.told.filter { $0.contains("attachments") }.isEmpty)

      let dequeue = try await run(["dequeue"], umask: "022", in: folder.path)
      #expect(dequeue.output == "[1]\n")
      #expect(dequeue.standardError.split(separator: "\n").count == 1)
      #expect(dequeue.standardError.contains("chmod 600 push-enricher.db"))
      let enrich = try await run(
        ["enrich", "--report", "report.json"], umask: "022", in: folder.path, input: #"{"aps":{}}"#)
      #expect(
        enrich.told.first
          == "push-enricher: users other than the owner have access to report.json (mode 644): chmod 600 report.json"
      )
      #expect(Files.mode(of: folder.path(of: "report.json")) == "644")
    }
  }

  @Test("a file of options is refused if it holds a password and other users may read it")
  func options() async throws {
    try await withTemporaryDirectory { folder in
      let config = try folder.write(
        Array(#"{"from": "redis://:s3cret@127.0.0.1:1/a", "to": "-"}"#.utf8), to: "c.json")
      for arguments in [["work"], ["enqueue"], ["dequeue"], ["dead-letters", "list"], ["healthcheck"]] {
        let run = try await PushEnricher.run(arguments + ["--config", config])
        #expect(run.termination == .exited(64))
        #expect(
          run.standardError
            == "push-enricher: --config \(config) holds a password, and users other than its owner have access (mode 644): chmod 600 \(config), or in Kubernetes defaultMode: 0400 for the secret, and fsGroup in the pod's securityContext\n"
        )
      }
      #expect(unsafe chmod(config, 0o600) == 0)
      let closed = try await PushEnricher.run(["enqueue", "--config", config])
      #expect(closed.termination == .exited(69), "\(closed.standardError)")
      #expect(unsafe chmod(config, 0o644) == 0)
      try folder.write(Array(#"{"from": "sqlite:\#(folder.path)/q.db"}"#.utf8), to: "c.json")
      let open = try await PushEnricher.run(["enqueue", "--config", config], input: Array("[1]\n".utf8))
      #expect(open.standardError == "push-enricher: 1 payload enqueued\n")
    }
  }

  #if Redis
    @Test(
      "a password on the command line causes one warning with advice, and a password elsewhere causes none")
    func argument() async throws {
      var options = RedisServer.Options()
      options.password = "s3cret"
      try await withRedisServer(options) { server in
        func url(_ stream: String) -> String { server.url(stream, host: "127.0.0.1", user: ":s3cret@") }
        func shown(_ stream: String) -> String { url(stream).replacing("s3cret", with: "***") }
        let better =
          "every user of this machine can read a password on the command line: set PUSH_ENRICHER_FROM or PUSH_ENRICHER_FROM_FILE, or write password-file=PATH instead"
        let enqueue = try await PushEnricher.run(["enqueue", "--to", url("a")], input: Array("[1]\n".utf8))
        #expect(
          enqueue.standardError
            == "push-enricher: --to \(shown("a")): \(better)\npush-enricher: 1 payload enqueued\n")
        try await withTemporaryDirectory { folder in
          let work = ["work", "--store", folder.path, "--until-empty"]
          let told = try await PushEnricher.run(
            work + ["--from", url("a"), "--to", "-", "--dead-letters", url("c")]
          )
          .told.filter { $0.contains("command line") }
          #expect(
            told == [
              "push-enricher: --from \(shown("a")): \(better)",
              "push-enricher: --dead-letters \(shown("c")): \(better.replacing("_FROM", with: "_DEAD_LETTERS"))",
            ])
          let environment = ["FROM": "a", "TO": "b", "DEAD_LETTERS": "c"].map {
            ("PUSH_ENRICHER_\($0)", url($1))
          }
          let quiet = try await PushEnricher.run(
            work, environment: Dictionary(uniqueKeysWithValues: environment))
          #expect(quiet.termination == .exited(0), "\(quiet.standardError)")
          #expect(!quiet.standardError.contains("command line"))
        }
      }
    }
  #endif
}
