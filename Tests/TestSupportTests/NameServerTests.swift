import TestSupport
import Testing

/// Uses a client of a few lines that does not understand DNS: perl sends the question as given and
/// prints the reply.
@Suite("NameServer")
struct NameServerTests {
  /// `a.example` in a question section (RFC 1035 section 4.1.2), without its type.
  private static let name = "01 61 07 65 78 61 6d 70 6c 65 00"
  private static let a = "00 01 00 01"
  private static let aaaa = "00 1c 00 01"

  /// The reply as hexadecimal bytes; empty if there is none within `seconds`.
  private func ask(_ server: NameServer, _ kind: String = a, seconds: Double = 30) async throws -> String {
    let script = """
      use IO::Socket::INET;
      my ($port, $query, $seconds) = @ARGV;
      my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port, Proto => "udp") or die;
      $socket->send(pack("H*", $query =~ s/ //gr));
      vec(my $set = "", $socket->fileno, 1) = 1;
      select($set, undef, undef, $seconds) or exit;
      $socket->recv(my $reply, 4096);
      print join " ", unpack "(H2)*", $reply;
      """
    let query = "ab cd 01 00 00 01 00 00 00 00 00 00 \(Self.name) \(kind)"
    return try await Command("perl").runSuccessfully(["-e", script, "\(server.port)", query, "\(seconds)"])
      .output
  }

  private func expect(
    _ server: NameServer, _ kind: String = a, replies expected: String, seconds: Double = 30,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let reply = try await ask(server, kind, seconds: seconds)
    #expect(reply == expected, sourceLocation: sourceLocation)
  }

  /// A reply to the question of `ask`, with these flags and answers.
  private func reply(
    _ kind: String = a, identifier: String = "ab cd", flags: String = "81 80", answers records: [String] = []
  ) -> String {
    (["\(identifier) \(flags) 00 01 00 0\(records.count) 00 00 00 00 \(Self.name) \(kind)"] + records)
      .joined(separator: " ")
  }

  @Test("addresses of both families are sent, with their time to live")
  func addresses() async throws {
    let answer = NameAnswer.addresses(["192.0.2.1", "127.0.0.1"], v6: ["2001:db8::1"], ttl: 300)
    try await withNameServer(["A.example": answer]) { server in
      let v4 = [
        "c0 0c 00 01 00 01 00 00 01 2c 00 04 c0 00 02 01", "c0 0c 00 01 00 01 00 00 01 2c 00 04 7f 00 00 01",
      ]
      try await expect(server, replies: reply(answers: v4))
      let v6 = ["c0 0c 00 1c 00 01 00 00 01 2c 00 10 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01"]
      try await expect(server, Self.aaaa, replies: reply(Self.aaaa, answers: v6))
      // Another type of record: the name exists, but the record does not.
      try await expect(server, "00 10 00 01", replies: reply("00 10 00 01"))
      #expect(server.queries(for: "a.example", .a) == 1)
      #expect(server.queries(for: "a.example") == 3)
      #expect(server.queries == 3)
    }
  }

  @Test("an alias is sent with the addresses of its target")
  func alias() async throws {
    try await withNameServer(["a.example": .alias(of: "b.c", ["10.0.0.1"], ttl: 1)]) { server in
      let alias = "c0 0c 00 05 00 01 00 00 00 01 00 05 01 62 01 63 00"
      let address = "01 62 01 63 00 00 01 00 01 00 00 00 01 00 04 0a 00 00 01"
      try await expect(server, replies: reply(answers: [alias, address]))
    }
  }

  @Test(
    "failures have their response codes",
    arguments: [
      (NameAnswer.nameError, "81 83"), (.serverFailure, "81 82"), (.refused, "81 85"), (.truncated, "83 80"),
    ])
  func failures(answer: NameAnswer, flags: String) async throws {
    try await withNameServer(["a.example": answer]) { server in
      try await expect(server, replies: reply(flags: flags))
    }
  }

  @Test("names without an answer do not exist")
  func unknown() async throws {
    try await withNameServer { server in
      try await expect(server, replies: reply(flags: "81 83"))
      server.answer("a.example", with: .addresses([]))
      try await expect(server, replies: reply())
    }
  }

  @Test("a name is silent, and a late answer is late")
  func silence() async throws {
    let late = NameAnswer.late(.milliseconds(500), .addresses([]))
    try await withNameServer(["a.example": .inTurn([.silence, late])]) { server in
      try await expect(server, replies: "", seconds: 0.3)
      try await expect(server, replies: reply())
      #expect(server.queries == 2)
    }
  }

  @Test("a public address comes first, and loopback from then on")
  func rebinding() async throws {
    let answer = NameAnswer.inTurn([.addresses(["192.0.2.1"], ttl: 0), .addresses(["127.0.0.1"], ttl: 0)])
    try await withNameServer(["a.example": answer]) { server in
      let record = "c0 0c 00 01 00 01 00 00 00 00 00 04"
      try await expect(server, replies: reply(answers: ["\(record) c0 00 02 01"]))
      try await expect(server, replies: reply(answers: ["\(record) 7f 00 00 01"]))
      try await expect(server, replies: reply(answers: ["\(record) 7f 00 00 01"]))
    }
  }

  @Test("a forged identifier and a truncated record are sent")
  func damaged() async throws {
    let good = NameAnswer.addresses(["192.0.2.1"], ttl: 1)
    try await withNameServer(["a.example": .inTurn([.wrongIdentifier(good), .cutShort(good)])]) { server in
      let record = "c0 0c 00 01 00 01 00 00 00 01 00 04 c0"
      try await expect(server, replies: reply(identifier: "54 32", answers: ["\(record) 00 02 01"]))
      try await expect(server, replies: reply(answers: [record]))
    }
  }
}
