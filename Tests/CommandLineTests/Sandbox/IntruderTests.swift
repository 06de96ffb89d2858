import Glibc
import Misbehaving
import TestSupport
import Testing

@Suite("Whoever takes over the program")
struct IntruderTests {
  @Test("gets no further", .needsSandbox, arguments: ["enrich", "work"])
  func intrusion(command: String) async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let library = try await Preloaded(Intruder.source, in: folder)
        let secret = try folder.write(Array("secret".utf8), to: "secret")
        let store = folder.path(of: "store")
        #expect(unsafe mkdir(store, 0o755) == 0)
        let queues =
          command == "work" ? ["--from", "-", "--to", "-", "--dead-letters", "sqlite:\(store)/queue.db"] : []
        let run = try await PushEnricher.run(
          [command, "--store", store] + queues + reaching(server.port),
          input: Push.naming(server.url(.serve(.photo))) + [10],
          environment: library.environment(["SECRET": secret]))
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(run.output.contains(#""type":"public.jpeg""#))
        expect(Intruder.findings(in: run.standardError))
        #expect(Files.exists(secret))
      }
    }
  }

  private func expect(_ findings: [String: String]) {
    #expect(findings["no-new-privileges"] == "1")
    #expect(findings["dumpable"] == "0")
    for call in Intruder.fatalCalls + ["namespace"] {
      #expect(findings[call] == "\(SIGSYS)", "\(call)")
    }
    #expect(findings["packet-socket"] == "\(EAFNOSUPPORT)")
    #expect(findings["cipher-socket"] == "\(EAFNOSUPPORT)")
    #expect(findings["type"] == "\(EPERM)")
    #expect(findings["io-uring"] == "\(ENOSYS)")
    #expect(findings["key"] == "\(EPERM)")
    #expect(findings["read-hosts"] == "0")
    #expect(findings["threads"] == "1", "those that were there before would not be kept from anything")
    for attempt in [
      "read-secret", "write-secret", "make-file", "make-directory", "remove-secret", "read-parent",
    ] {
      #expect(findings[attempt] == "\(EACCES)", "\(attempt)")
    }
  }
}
