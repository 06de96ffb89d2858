import DeviceAPI
import PushQueueing
import TestSupport
import Testing

/// Runs what the article about the push queue shows.
@Suite("The article about the push queue", .timeLimit(.minutes(5)))
struct PushQueueArticleTests {
  @Test("its nginx passes requests on, over connections that stay open, and counts for itself") func nginx()
    async throws
  {
    let article = try Documentation.article("PushQueue")
    let block = try #require(article.blocks("nginx").first)
    try await withAPI { site in
      try await makeCertificate("push.example.com", in: site.folder)
      let port = freePort()
      var text = block
      for (old, new) in [
        ("listen 443 ssl", "listen 127.0.0.1:\(port) ssl"), ("127.0.0.1:8090", "127.0.0.1:\(site.port)"),
        ("/etc/ssl/", "\(site.folder.path)/"), ("burst=1000", "burst=10"), ("rate=100r/s", "rate=1r/m"),
      ] {
        try #require(text.contains(old))
        text = text.replacing(old, with: new)
      }
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map { "\($0)_temp_path \(site.folder.path)/\($0);" }.joined(separator: " ")
      let configuration =
        "daemon off; master_process off; pid \(site.folder.path)/nginx.pid; events {}\nhttp { access_log off; \(temporary)\n\(text)\n}\n"
      let file = try site.folder.write(Array(configuration.utf8), to: "nginx.conf")
      let nginx = Daemon(
        "nginx", ["-c", file, "-e", "stderr", "-p", site.folder.path], name: "nginx", in: site.folder)
      let body =
        #"{"app":"com.example.mail","device":"6F1C7B0E-0000-4000-8000-000000000001","e":7,"last":40,"count":3,"seen":1}"#
      func post(_ options: String...) async throws -> Answer {
        let run = try await Command("curl").run(
          [
            "-q", "-sS", "-i", "--noproxy", "*", "--cacert", site.folder.path(of: "push.example.com.pem"),
            "-H", "Authorization: Bearer \(site.ticket(.known))", "-d", body,
          ] + options + ["https://localhost:\(port)/v1/missed"])
        return Answer(run.output, error: run.standardError)
      }
      #expect(try await eventually { try await post().status != nil || nginx.hasEnded })
      #expect(!nginx.hasEnded, "\(nginx.output)")
      for option in ["--http1.1", "--http2"] {
        let answer = try await post(option)
        #expect(answer.status == 202 && answer.body.hasPrefix(#"{"resending":3,"#), "\(answer)")
      }
      var statuses: [Int?] = []
      for _ in 0..<20 { statuses.append(try await post().status) }
      #expect(statuses.contains(429) && Set(statuses) == [202, 429], "\(statuses)")
      try await nginx.kill()
    }
  }

  @Test("its commands make a key, and replace it so that both are valid") func rotation() async throws {
    let commands = try Documentation.article("PushQueue").blocks("console").filter {
      $0.contains("ticket.key")
    }
    .map { String($0.dropFirst(2)) }
    try #require(commands.count == 2)
    let position = QueuePosition(device: .known, epoch: 7, position: 40)
    try await withTemporaryDirectory { folder in
      var tickets: [String] = []
      for command in commands + [commands[1]] {
        let run = try await Command("bash").run(["-c", "cd \(folder.path) && umask 022 && \(command)"])
        #expect(run.exitStatus == 0, "\(run.standardError)")
        let keys = try TicketKeys(path: folder.path(of: "ticket.key"))
        if let last = tickets.last { #expect(keys.isValid(last, for: position)) }
        if tickets.count == 2 { #expect(!keys.isValid(tickets[0], for: position)) }
        tickets.append(keys.ticket(for: position))
      }
      #expect(Set(tickets).count == 3)
      #expect(Files.mode(of: folder.path(of: "ticket.key")) == "600")
      #expect(folder.names == ["ticket.key"])
    }
  }
}
