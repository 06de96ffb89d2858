import Glibc
import Misbehaving
import Notifications
import TestSupport
import Testing

@testable import Confining

@Suite("The sandbox")
struct SandboxTests {
  /// What a kernel lacks, and how that is reported.
  static let kernels: [(kernel: String, inForce: String, missing: String?)] = [
    ("without-landlock", calls, "files and TCP ports (Landlock): "),
    ("landlock-switched-off", calls, "files and TCP ports (Landlock): "),
    ("without-seccomp", "no new privileges, not dumpable", "system calls (seccomp): "),
    (
      "landlock-1", "files (Landlock 1: ",
      "files that may only be read can be emptied (needs Landlock 3, this kernel has 1); TCP ports (needs Landlock 4, this kernel has 1)"
    ),
    ("landlock-3", "files (Landlock 3: ", "TCP ports (needs Landlock 4, this kernel has 3)"),
    ("landlock-4", "files (Landlock 4: ", nil),
    ("all", calls, nil),
  ]

  private static let calls =
    "system calls (seccomp: \(AllowedCalls.rules(for: []).count) allowed), no new privileges, not dumpable"

  @Test(
    "enrich works without what the kernel lacks, and reports that if asked", .needsSandbox,
    arguments: kernels)
  func enriching(kernel: String, inForce: String, missing: String?) async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let library = try await Preloaded(Kernel.source, in: folder)
        let environment = library.environment(["KERNEL": kernel])
        let payload = Push.naming(server.url(.serve(.photo)))
        let plain = try await enrich(payload, reaching(server.port), environment: environment)
        #expect(plain.outcome == "enriched", "\(plain.run.standardError)")
        #expect(plain.line.hasPrefix("push-enricher: enriched in "), "\(plain.run.standardError)")

        let explained = try await enrich(
          payload, reaching(server.port) + ["--explain"], environment: environment)
        let line = try #require(Self.line(explained.run))
        #expect(line.contains(inForce), "\(line)")
        #expect(line.contains("; not in force: ") == (missing != nil), "\(line)")
        #expect(line.contains(missing ?? ""), "\(line)")
      }
    }
  }

  @Test("does not follow a link to keys elsewhere, and the error says that it is a link", .needsSandbox)
  func linkedKeys() async throws {
    try await withTemporaryDirectory { folder in
      for name in ["keys", "elsewhere", "store"] { #expect(unsafe mkdir(folder.path(of: name), 0o700) == 0) }
      let elsewhere = try folder.write(Array("{}".utf8), to: "elsewhere/a.json")
      #expect(unsafe chmod(elsewhere, 0o600) == 0)
      let link = folder.path(of: "keys/a.json")
      #expect(unsafe symlink(elsewhere, link) == 0)
      let arguments = [
        "enrich", "--store", folder.path(of: "store"), "--keys-dir", folder.path(of: "keys"),
      ]
      let refused = try await PushEnricher.run(arguments, input: Push.with(#""n":1"#))
      #expect(refused.termination == .exited(64))
      #expect(
        refused.standardError
          == "push-enricher: the keys cannot be used: \(link): it is a link to another directory, which the sandbox blocks: put the file itself in its place\n"
      )
      // A link that stays in the directory is followed.
      #expect(unsafe unlink(link) == 0)
      #expect(unsafe rename(elsewhere, folder.path(of: "keys/hidden")) == 0)
      #expect(unsafe symlink("hidden", link) == 0)
      let run = try await PushEnricher.run(arguments, input: Push.with(#""n":1"#))
      #expect(run.termination == .exited(0), "\(run.standardError)")
    }
  }

  @Test("work warns once of what the kernel lacks", .needsSandbox, arguments: kernels)
  func warning(kernel: String, inForce: String, missing: String?) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Kernel.source, in: folder)
      let run = try await PushEnricher.run(
        [
          "work", "--from", "-", "--to", "-", "--dead-letters", "sqlite:\(folder.path)/queue.db", "--store",
          folder.path,
        ], input: Push.with(#""n":1"#) + [10],
        environment: library.environment(["KERNEL": kernel]))
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let lines = run.standardError.split(separator: "\n").filter { $0.contains(#""message":"sandbox""#) }
      let line = try JSONDocument(Array(try #require(lines.first).utf8)).root
      #expect(lines.count == 1)
      #expect(line["level"]?.string == (missing == nil ? "info" : "warning"))
      #expect(line["in_force"]?.string?.contains(inForce) == true)
      #expect(line["missing"]?.string?.hasPrefix(missing ?? "-") == (missing == nil ? nil : true))
    }
  }

  @Test(
    "is enforced by --require-sandbox: if something is missing, nothing starts and the error says what",
    .needsSandbox,
    arguments: kernels, ["enrich", "work"])
  func required(_ kernel: (kernel: String, inForce: String, missing: String?), command: String) async throws {
    try await withTemporaryDirectory { folder in
      let library = try await Preloaded(Kernel.source, in: folder)
      let queues =
        command == "work"
        ? ["--from", "-", "--to", "-", "--dead-letters", "sqlite:\(folder.path)/queue.db"] : []
      let payload = Push.with(#""n":1"#) + [10]
      let run = try await PushEnricher.run(
        [command, "--store", folder.path] + queues, input: payload,
        environment: library.environment([
          "KERNEL": kernel.kernel, "PUSH_ENRICHER_REQUIRE_SANDBOX": "true",
        ]))
      guard let missing = kernel.missing else {
        #expect(run.termination == .exited(0), "\(run.standardError)")
        return
      }
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError.hasPrefix("push-enricher: --require-sandbox: this is not in force: \(missing)"),
        "\(run.standardError)")
      #expect(run.standardOutput == [])
      #expect(folder.names.sorted() == ["preloaded.c", "preloaded.so"])
    }
  }

  @Test("reports which directories and ports are open", .needsSandbox) func openPlaces() async throws {
    try await withTemporaryDirectory { folder in
      let run = try await PushEnricher.run(
        [
          "work", "--from", "-", "--to", "-", "--dead-letters", "sqlite:\(folder.path)/queue.db", "--store",
          folder.path, "--allow-port", "8443", "--name-servers", "127.0.0.1:5353", "--status", "127.0.0.1:0",
        ], input: Push.with(#""n":1"#) + [10])
      #expect(run.standardError.contains("2 to write), TCP ports (443, 5353, 8443; listening on 0), "))
    }
  }

  @Test(
    "does not open directories that other users share", .needsSandbox,
    arguments: [
      (["--store", "/"], "--store /", "/", "writing"),
      (["--store", "/etc/../var"], "--store /etc/../var", "/var", "writing"),
      (["--keys-dir", "/"], "--keys-dir /", "/", "reading"),
      (["--from", "sqlite:/q.db"], "--from sqlite:/q.db", "/", "writing"),
      (["--to", "sqlite:/root/q.db?queue=a"], "--to sqlite:/root/q.db?queue=a", "/root", "writing"),
    ])
  func shared(options: [String], names: String, directory: String, use: String) async throws {
    try await withTemporaryDirectory { folder in
      let defaults = ["--from", "--to", "--dead-letters"].flatMap {
        options.contains($0) ? [] : [$0, "sqlite:\(folder.path)/q.db?queue=\($0.dropFirst(2))"]
      }
      let run = try await PushEnricher.run(["work", "--until-empty"] + defaults + options)
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError
          == "push-enricher: \(names): the sandbox would have to open \(directory) with everything below it, for \(use): use a directory of its own, like /srv/push-enricher\n"
      )
      #expect(!Files.exists("/q.db") && !Files.exists("/root/q.db"))
    }
  }

  /// For another user, most files in the /proc directory of a process that is not dumpable belong
  /// to root.
  @Test("leaves an unprivileged user everything that is needed") func nobody() async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        // This user may not have access to the build folder, or to root's folders.
        let program = folder.path(of: "push-enricher")
        try await Command("cp").runSuccessfully([PushEnricher.path, program])
        let (store, report) = (folder.path(of: "store"), folder.path(of: "report.json"))
        #expect(unsafe mkdir(store, 0o755) == 0)
        try folder.write([], to: "report.json")
        for path in [folder.path, store, report, program] { #expect(unsafe chmod(path, 0o777) == 0) }
        let user = getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let words =
          user + [program, "enrich", "--explain", "--store", store, "--report", report]
          + reaching(server.port)
        let run = try await Turns.shared.take {
          try await Command(words[0]).run(
            Array(words.dropFirst()), input: Push.naming(server.url(.serve(.photo))))
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        let document = try JSONDocument(Files.read(report)).root
        #expect(document["outcome"]?.string == "enriched")
        let peak = document["peak_private_bytes"]?.spelling ?? ""
        #expect((Int(peak) ?? 0) > 100_000, "\(peak)")
        #expect(Files.names(in: store).count == 1)
        #expect(Self.line(run)?.contains("not dumpable") == true)
      }
    }
  }

  @Test("allows a payload to be read from anywhere, and a report to be written") func files() async throws {
    try await withTemporaryDirectory { folder in
      let payload = Push.with(#""n":1"#)
      let path = try folder.write(payload, to: "push.json")
      let report = folder.path(of: "report.json")
      for words in [[path], ["-"], ["/dev/stdin"], []] {
        let run = try await Command("sh").run(
          [
            "-c", #"file=$0; exec "$@" < "$file""#, path, PushEnricher.path, "enrich", "--report", report,
          ] + words)
        #expect(run.standardOutput == payload, "\(words)")
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(try Files.size(of: report) > 0)
        Files.remove(report)
      }
    }
  }

  /// The line about the sandbox in `--explain`.
  private static func line(_ run: Run) -> String? {
    run.standardError.split(separator: "\n").first { $0.hasPrefix("sandbox ") }.map { String($0) }
  }
}
