import Misbehaving
import TestSupport
import Testing

@Suite("HostileServer, endless streams")
struct FloodTests {
  @Test(
    "a client with a limit leaves early, and the server notices",
    arguments: [
      // libcurl allows some 300 kB of headers, and 100 kB per line.
      (Behaviour.endlessHeaders, CurlExit.receiveFailed), (.endlessInterimResponses, CurlExit.receiveFailed),
      (.endlessHeaderLine, CurlExit.outOfMemory),
    ])
  func bounded(behaviour: Behaviour, status: Int32) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour))
      #expect(run.exitStatus == status)
      #expect(await eventually { server.openConnections == 0 })
      #expect(server.tally(of: behaviour).bytesSent < 50_000_000)
    }
  }

  @Test(
    "a client whose limit does not apply receives ten times as much",
    arguments: [
      Behaviour.endlessTrailers, .endlessChunks(first: [1, 2, 3], as: "image/jpeg"),
      .endlessBody(first: [1, 2, 3], as: "image/jpeg"),
    ])
  func unbounded(behaviour: Behaviour) async throws {
    try await withHostileServer { server in
      _ = try await curl(server.url(behaviour), ["-o", "/dev/null", "--max-filesize", "1000000"], limit: 10)
      #expect(await eventually { server.tally(of: behaviour).bytesSent > 10_000_000 })
    }
  }

  @Test("a client that does not read is sent no more than the sockets hold")
  func backPressure() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.endlessBody(first: [], as: "image/jpeg")
      let run = try await curl(server.url(behaviour), ["-o", "/dev/null", "--limit-rate", "1000"], limit: 2)
      #expect(run.exitStatus == CurlExit.timedOut)
      #expect(server.tally(of: behaviour).bytesSent < 50_000_000)
    }
  }

  @Test("hundreds of clients at once are held, and released when the test ends")
  func crowd() async throws {
    let script = """
      use IO::Socket::INET;
      my @held;
      for (1..500) {
        my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ARGV[0]) or die "$_: $!";
        $socket->send("GET $ARGV[1] HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n") if $_ % 2;
        push @held, $socket;
      }
      my $ended = 0;
      for (@held) { $ended++ if !defined $_->recv(my $byte, 1) or $byte eq "" }
      print "ended $ended\\n";
      """
    let clients = try await withThrowingTaskGroup(of: Run.self) { group in
      try await withHostileServer { server in
        let path = String(server.url(.silent).trimmingPrefix("http://127.0.0.1:\(server.port)"))
        let port = "\(server.port)"
        group.addTask { try await Command("perl").run(["-e", script, port, path]) }
        _ = await eventually { server.tally(of: .silent).requests >= 250 && server.connections >= 500 }
        #expect(server.openConnections == 500)
        #expect(server.tally(of: .silent).requests == 250)
        #expect(server.tally(of: .silent).connections == 250)
      }
      return try await group.next()
    }
    #expect(clients?.output == "ended 500\n")
  }
}
