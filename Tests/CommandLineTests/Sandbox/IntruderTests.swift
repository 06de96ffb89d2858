import Glibc
import Misbehaving
import TestSupport
import Testing

@Suite("An attacker who takes over the program")
struct IntruderTests {
  /// The capabilities that root keeps: `CAP_DAC_OVERRIDE`, `NET_BIND_SERVICE`, `IPC_LOCK` and
  /// `SYS_RESOURCE`.
  private static let capabilities: UInt64 = 1 << 1 | 1 << 10 | 1 << 14 | 1 << 24

  @Test("gets no further", .needsSandbox, arguments: ["enrich", "work", "work --status"])
  func intrusion(command: String) async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let library = try await Preloaded(Intruder.source, in: folder)
        let secret = try folder.write(Array("secret".utf8), to: "secret")
        let store = folder.path(of: "store")
        #expect(unsafe mkdir(store, 0o755) == 0)
        let status = command == "work --status" ? ["--status", "127.0.0.1:0"] : []
        let queues =
          command == "enrich"
          ? [] : ["--from", "-", "--to", "-", "--dead-letters", "sqlite:\(store)/queue.db"]
        let run = try await PushEnricher.run(
          [String(command.prefix { $0 != " " }), "--store", store, "--require-sandbox"] + queues + status
            + reaching(server.port),
          input: Push.naming(server.url(.serve(.photo))) + [10],
          environment: library.environment(["SECRET": secret]))
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(run.output.contains(#""type":"public.jpeg""#))
        let findings = Intruder.findings(in: run.standardError)
        expect(findings)
        #expect(findings["bind"] == "\(status.isEmpty ? ENOSYS : EACCES)")
        #expect(findings["listen"] == "\(status.isEmpty ? ENOSYS : EBADF)")
        #expect(try Files.read(secret) == Array("secret".utf8))
        #expect(folder.names.sorted() == ["preloaded.c", "preloaded.so", "secret", "store"])
      }
    }
  }

  private func expect(_ findings: [String: String]) {
    #expect(findings["no-new-privileges"] == "1")
    #expect(findings["is-dumpable"] == "0")
    #expect(findings["threads"] == "1", "threads that exist before the sandbox would not be confined by it")
    #expect(findings["every-other-call"] == "0", "the number of a call that the filter should have refused")
    let capabilities = findings["capabilities"].flatMap { UInt64($0) }
    #expect(capabilities.map { $0 & ~Self.capabilities } == 0)
    for attempt in Attempt.all {
      #expect(findings[attempt.name] == "\(attempt.error)", "\(attempt.name)")
    }
  }
}
