import Queueing
import TestSupport
import Testing

/// Errors about a queue are reported at the start, in one line.
@Suite("Wrong queues", .timeLimit(.minutes(5)))
struct WrongQueueTests {
  @Test(
    "a URL that is not a queue's is refused with an example of one that is",
    arguments: [
      ("queue.db", "it has no scheme"),
      ("ftp://host/x", "its scheme is sqlite, redis, rediss, amqp, amqps, http, apns or records, not 'ftp'"),
      ("http://example.com/v1/enrich", "an address of this machine and a port follow its http://"),
      ("sqlite:", "the path of its file is missing"), ("sqlite:a.db?name=x", "its only parameter is queue"),
      ("amqp:", "there is no :// after its scheme"), ("amqp://h?db=1", "its parameters are queue, "),
      ("redis:", "there is no :// after its scheme"), ("redis://h?name=1", "its parameters are group, "),
      ("redis://h/0", "a number alone is a database"),
      ("amqp://h//", "a / in its virtual host is written %2F"),
      ("sqlite::memory:", "its path must name a file: a queue in memory would be lost"),
    ])
  func url(text: String, wrong: String) async throws {
    let kind = text.hasPrefix("http:") ? "valid URL" : "queue"
    for arguments in [["work", "--from", text], ["enqueue", "--to", text], ["dequeue", "--from", text]] {
      let run = try await PushEnricher.run(arguments)
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError.hasPrefix(
          "push-enricher: \(arguments[1]): '\(text)' is not a \(kind): \(wrong)"))
      #expect(run.standardError.contains("; write one like "))
      #expect(run.standardError.split(separator: "\n").count == 1)
    }
  }

  @Test("a file that is not a database, and a folder that cannot be written, are refused with advice")
  func file() async throws {
    try await withTemporaryDirectory { folder in
      let text = try folder.write(Array("no database".utf8), to: "notes.txt")
      let expected = [
        text: "\(text) is not an SQLite database: name another file, or one that does not exist yet",
        folder.path: "\(folder.path) is a folder: name a file in it, like \(folder.path)/push-enricher.db",
        // Not even root can write there.
        "/proc/queue.db":
          "the queue /proc/queue.db cannot be created: give this user write access to the folder /proc",
      ]
      for (path, message) in expected {
        let readers = path == "/proc/queue.db" ? [] : [["dequeue", "--from"]]
        for arguments in [["work", "--from"], ["enqueue", "--to"]] + readers {
          let run = try await PushEnricher.run(arguments + ["sqlite:\(path)"] + target(of: arguments))
          #expect(run.termination == .exited(69))
          #expect(run.told == ["push-enricher: \(arguments[1]) sqlite:\(path): \(message)"])
          // The logs of a worker are read by machines.
          #expect(run.standardError.hasPrefix("{") == (arguments[0] == "work"))
        }
      }
    }
  }

  @Test(
    "a command that only takes from a file refuses a missing one, and does not create it",
    arguments: [
      ["dequeue"], ["dead-letters", "list"], ["dead-letters", "drop", "--all"],
      ["dead-letters", "replay", "--all"],
    ])
  func missingFile(command: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "mistyped.db")
      let run = try await PushEnricher.run(
        command + ["--from", "sqlite:\(path)"], environment: ["PUSH_ENRICHER_FROM": "sqlite:\(path)"])
      #expect(run.termination == .exited(69))
      #expect(
        run.standardError
          == "push-enricher: --from sqlite:\(path): there is no file \(path): check the name, or put something into the queue first\n"
      )
      #expect(folder.names.isEmpty)
    }
  }

  @Test(
    "work that would go in circles is refused",
    arguments: [("--to", "results"), ("--dead-letters", "dead letters")])
  func loop(option: String, contents: String) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let run = try await PushEnricher.run(
        ["work", "--from", "sqlite:\(path)", option, "sqlite:\(path)?queue=incoming"])
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError
          == "push-enricher: \(option) sqlite:\(path)?queue=incoming: this is the queue that --from names: \(contents) would be taken again, forever\n"
      )
    }
  }

  /// The status tells a supervisor that starting again does not help.
  @Test(
    "a door or APNs in the wrong place is a mistake in the usage",
    arguments: [
      ("--from", apns, "APNs is a target: name it with --to, and take from a queue"),
      ("--to", "http://127.0.0.1:0", "a door is for --from of work alone: name a queue for results"),
      (
        "--dead-letters", "http://127.0.0.1:0",
        "a door is for --from of work alone: name a queue for dead letters"
      ),
      ("--dead-letters", apns, "APNs takes no dead letters: name a queue for them"),
    ])
  func place(option: String, url: String, wrong: String) async throws {
    let others = ["--from", "--to"].filter { $0 != option }.flatMap { [$0, "-"] }
    let run = try await PushEnricher.run(["work", option, url] + others)
    #expect(run.termination == .exited(64))
    #expect(run.standardError == "push-enricher: \(option) \(url): \(wrong)\n")
  }

  private static let apns = "apns://h?key=k&key-id=ABC123DEFG&team-id=DEF123GHIJ"

  @Test("a loop through another path of the same file is refused", arguments: [false, true])
  func sameFile(isThere: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      if isThere {
        let put = try await PushEnricher.run(["enqueue", "--to", "sqlite:\(path)"], input: Array("[]".utf8))
        #expect(put.termination == .exited(0))
      }
      try await Command("ln").runSuccessfully(["-s", folder.path, folder.path(of: "folder")])
      for other in [
        "\(folder.path)/./queue.db", "\(folder.path)//queue.db", "\(folder.path)/folder/queue.db",
      ] {
        let run = try await PushEnricher.run(
          [
            "work", "--until-empty", "--from", "sqlite:\(path)", "--dead-letters",
            "sqlite:\(other)?queue=incoming",
          ])
        #expect(run.termination == .exited(64), "\(other)")
        #expect(run.standardError.contains("is the queue that --from names"))
      }
      #expect(Files.exists(path) == isThere)
    }
  }

  /// `work` needs a queue for its results besides the queue that it takes from.
  private func target(of command: [String]) -> [String] { command[0] == "work" ? ["--to", "-"] : [] }

  #if Redis
    @Test(
      "a Redis that is missing, denies access or holds other data is reported as such, without the password"
    )
    func redis() async throws {
      var options = RedisServer.Options()
      options.password = "s3cret"
      try await withRedisServer(options) { server in
        try await server.command(["SET", "text", "value"])
        let port = freePort()
        let expected = [
          "redis://:s3cret@127.0.0.1:\(port)/a":
            "Redis at 127.0.0.1:\(port) cannot be reached: see whether it runs there, on that port",
          "redis://me:s3cret@nowhere.invalid/a":
            "Redis at nowhere.invalid:6379 cannot be found: no name server knows nowhere.invalid; check the name",
          "redis://:wr0ng@127.0.0.1:\(server.port)/a":
            "\(server.name) does not take this user name and password",
          server.url("text"): "the key text of \(server.name) is not a stream: name another key",
        ]
        for (url, message) in expected {
          for arguments in [["work", "--from"], ["enqueue", "--to"], ["dequeue", "--from"]] {
            let run = try await PushEnricher.run(arguments + [url] + target(of: arguments))
            #expect(run.termination == .exited(69))
            let shown = url.replacing(#/:[a-z0-9]+@/#, with: ":***@")
            #expect(run.told == ["push-enricher: \(arguments[1]) \(shown): \(message)"])
          }
        }
        let loop = try await PushEnricher.run(
          ["work", "--from", server.url("a"), "--to", server.url("a").replacing("workers", with: "others")])
        #expect(loop.termination == .exited(64))
        #expect(
          loop.standardError.hasSuffix(
            "this is the queue that --from names: results would be taken again, forever\n"))
        #expect(!loop.standardError.contains("s3cret"))
      }
    }

    @Test("a Redis with TLS is trusted with an authority of one's own, and not without it")
    func redisBehindTLS() async throws {
      var options = RedisServer.Options()
      options.isSecure = true
      options.password = "s3cret"
      try await withRedisServer(options) { server in
        let trust = ["--ca-file", try #require(server.caFile)]
        let url = server.url("a")
        let put = try await PushEnricher.run(["enqueue", "--to", url] + trust, input: Array("{}".utf8))
        // The output starts with a warning, because the password is on the command line.
        #expect(put.standardError.hasSuffix("\npush-enricher: 1 payload enqueued\n"))
        let get = try await PushEnricher.run(
          ["dequeue", "--from", url], environment: ["PUSH_ENRICHER_CA_FILE": trust[1]])
        #expect(get.output == "{}\n")
        let stranger = try await PushEnricher.run(["dequeue", "--from", url])
        #expect(stranger.termination == .exited(69))
        #expect(stranger.standardError.contains("has a certificate that is not trusted ("))
      }
    }
  #endif

  #if RabbitMQ
    @Test(
      "a RabbitMQ that denies access, lacks the virtual host or is missing is reported as such, without the password"
    )
    func rabbitMQ() async throws {
      let server = try await RabbitMQServer.shared
      let place = "127.0.0.1:\(server.ports.plain)"
      let dead = freePort()
      let expected = [
        (
          "amqp://guest:s3cret@\(place)/?queue=q", "amqp://guest:***@\(place)/?queue=q",
          "\(server.name) does not let the user guest in: check the name and the password"
        ),
        (
          "amqp://guest:guest@\(place)/nowhere", "amqp://guest:***@\(place)/nowhere",
          "\(server.name) does not let the user guest into the virtual host nowhere: vhost nowhere not found; check its name and the rights of the user; ?queue=NAME names a queue"
        ),
        (
          "amqp://guest:guest@\(place)/?exchange=none", "amqp://guest:***@\(place)/?exchange=none",
          "\(server.name) refuses: no exchange 'none' in vhost '/'"
        ),
        (
          "amqp://u:s3cret@127.0.0.1:\(dead)/", "amqp://u:***@127.0.0.1:\(dead)/",
          "RabbitMQ at 127.0.0.1:\(dead) cannot be reached (a socket error occurred): check that it is running and that the port is right"
        ),
      ]
      for (url, shown, message) in expected {
        for arguments in [["work", "--from"], ["enqueue", "--to"], ["dequeue", "--from"]] {
          let run = try await PushEnricher.run(arguments + [url] + target(of: arguments))
          #expect(run.termination == .exited(69))
          #expect(run.told == ["push-enricher: \(arguments[1]) \(shown): \(message)"])
        }
      }
      let url = "amqp://guest:guest@\(place)/?queue=q"
      let run = try await PushEnricher.run(["work", "--from", url, "--to", url])
      #expect(run.termination == .exited(64))
      #expect(run.standardError.contains("is the queue that --from names"))
    }
  #endif
}
