import Glibc
import TestSupport
import Testing

@Suite("Brokers of tests", .timeLimit(.minutes(5)))
struct BrokerTests {
  @Test("a Redis that is killed comes back on its port with its data")
  func redis() async throws {
    try await withRedisServer { server in
      try await server.command(["XADD", "stream", "1-1", "body", "text"])
      for _ in 0..<2 {
        let pid = try #require(await server.pid)
        try await server.withOutage {
          #expect(kill(pid, 0) != 0)
          await #expect(throws: Command.Failure.self) { try await server.command(["PING"]) }
        }
        #expect(try await server.command(["XLEN", "stream"]) == "1\n")
      }
    }
  }

  @Test("Redis works with a password and TLS")
  func redisOverTLS() async throws {
    var options = RedisServer.Options()
    options.password = "secret"
    options.isSecure = true
    try await withRedisServer(options) { server in
      let answer = try await server.command(["PING"])
      #expect(answer == "PONG\n")
      #expect(server.url("a") == "rediss://:secret@127.0.0.1:\(server.port)/a?group=workers")
    }
  }

  @Test("a server does not outlive the test process, and its folder is removed")
  func lifeline() async throws {
    try await withTemporaryDirectory { folder in
      let note = folder.path(of: "note")
      await #expect(processExitsWith: .signal(SIGKILL)) { [note = note as String] in
        try await withRedisServer { server in
          let pid = try #require(await server.pid)
          try Files.write(Array("\(pid) \(server.folder.path)".utf8), to: note)
          kill(getpid(), SIGKILL)
        }
      }
      let words = String(decoding: try Files.read(note), as: UTF8.self).split(separator: " ")
      let pid = try #require(pid_t(words[0]))
      #expect(await eventually { kill(pid, 0) != 0 && !Files.exists(String(words[1])) })
    }
  }
}
