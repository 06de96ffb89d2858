import Glibc
import Misbehaving
import Notifications
import Queueing
import Supporting
import TestSupport
import Testing

/// What a worker logs, and that its work does not wait for a reader of the log.
@Suite("Logs", .timeLimit(.minutes(5)))
struct LogTests {
  @Test("a log that is not read does not stop the work, and reports the lines that it dropped")
  func unread() async throws {
    try await withWorkplace(.sqlite) { place in
      // More lines than a pipe holds and the worker buffers.
      let errands = (0..<1_500).map { number in
        Errand(number, #"{"aps":{"alert":"\#(number)"}}"#, .unmodified("not-mutable"))
      }
      try await place.publish(errands)
      let pipe = place.folder.path(of: "log")
      let words = [PushEnricher.path, "work", "--from", place.url("incoming"), "--to", place.url("enriched")]
      let script = #"echo $$ >"$0.pid" && mkfifo "$0" && exec 3<>"$0" && exec "$@" 2>"$0""#
      async let run = Command("sh").run(
        ["-c", script, pipe] + words + place.options, limit: .seconds(120))
      try await place.wait(for: errands)
      let notice = try await Command("grep").run(["-m1", "were dropped", pipe], limit: .seconds(60))
      let process = String(decoding: try Files.read("\(pipe).pid").dropLast(), as: UTF8.self)
      #expect(kill(try #require(pid_t(process)), SIGTERM) == 0)
      #expect(try await run.termination == .exited(0))

      let line = String(decoding: notice.standardOutput, as: UTF8.self)
      #expect(line.contains(#""level":"warning""#) && line.contains(#""lines":"#), "\(line)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("the log says of poison that it was never settled, not that a worker crashed")
  func poison() async throws {
    try await withWorkplace(.sqlite) { place in
      let crashes = [Header(Message.crashHeader, "3")]
      try await place.queue("incoming").publish([Message(id: "a", body: [1], headers: crashes)])
      let run = try await place.work(["--until-empty"])
      #expect(run.standardError.contains("it was handed out 3 times without being settled"))
    }
  }

  @Test("an id that is longer than a line may be is cut, and does not hide the outcome")
  func longID() async throws {
    try await withWorkplace(.sqlite) { place in
      let id = String(repeating: "i", count: 70_000)
      let body = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
      try await place.queue("incoming").publish([Message(id: id, body: body, headers: [])])
      let run = try await place.work(["--until-empty"])
      #expect(run.standardError.contains(#"ii…","outcome":"unmodified""#))
      #expect(!run.standardError.contains("were dropped"))
    }
  }

  @Test("a queue that is away is logged now and then with a waiting message, and again when it is back")
  func away() async throws {
    try await withWorkplace(mortal: .sqlite) { place, broker in
      let errands = Errand.photos(0..<100, place.server, late: .milliseconds(300))
      try await place.publish(errands)
      let run = try await place.work(["--concurrency", "8", "--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        try await place.wait(for: 4, in: "enriched")
        try await broker.withOutage {
          let failed = ["error_type": "unavailable"]
          let isTriedOften = try await eventually {
            let metrics = try Exposition(String(try await fetch(origin, "/metrics").dropLast(3)))
            return metrics.sum("messaging_client_sent_messages_total", failed) >= 20
          }
          #expect(isTriedOften)
          let lines = worker.log.split(separator: "\n").filter { $0.contains("a result cannot be published") }
          #expect((1...6).contains(lines.count), "\(lines)")
          #expect(lines.allSatisfy { $0.contains(#","id":"m"#) }, "\(lines)")
        }
        try await place.wait(for: errands)
        #expect(worker.log.contains("results can be published again"))
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("the log line of a payload has the ids that its sender knows, and which of its media failed and why")
  func outcomes() async throws {
    try await withWorkplace(.sqlite) { place in
      let photo = place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
      let missing = place.server.url(.serve(Response(status: 404)))
      let page = place.server.url(.serve(.file("page.html", "image/jpeg")))
      let name = "5C6D0A3E-0F5B-4C38-9B8E-0D6B7C3B9A11"
      let bodies = [[missing], [photo, missing, page], [photo]].map { urls in
        let media = urls.map { "\"\($0)\"" }.joined(separator: ",")
        return Array(#"{"aps":{"alert":"Hello","mutable-content":1},"media":[\#(media)]}"#.utf8)
      }
      try await place.queue("incoming").publish(
        bodies.enumerated().map { number, body in
          Message(id: "m\(number)", body: body, headers: [Header("Apns-Id", name)])
        })
      let run = try await place.work(["--until-empty"])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      var lines: [String: JSONValue] = [:]
      for line in run.standardError.split(separator: "\n") {
        let value = try JSONDocument(Array(line.utf8)).root
        if let id = value["id"]?.string { lines[id] = value }
      }
      let names = ["queue", "apns_id", "outcome", "host", "media", "attached", "media_reasons"]
      func values(_ id: String) -> [String?] { names.map { lines[id]?[$0]?.string } }
      #expect(values("m0") == ["incoming", name, "unmodified", "127.0.0.1", nil, nil, nil])
      #expect(
        values("m1")
          == ["incoming", name, "enriched", "127.0.0.1", "3", "1", "http-status,type-unsupported"])
      #expect(values("m2") == ["incoming", name, "enriched", nil, nil, nil, nil])
    }
  }

  @Test("the log line of a message says which payloads were left out, and what became of its category")
  func envelopes() async throws {
    try await withWorkplace(.sqlite) { place in
      let photo = place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
      let file = try place.folder.write(Array(#"{"M":[{"identifier":"a","title":"b"}]}"#.utf8), to: "c.json")
      func payload(_ more: String) -> String { #"{"aps":{"alert":"Hello","mutable-content":1\#(more)"# }
      let inner = payload(#"},"media":"\#(photo)"}"#).replacing("\"", with: #"\""#)
      let bodies = [
        #"{"APNS":"\#(inner)","MACOS":"{"}"#, payload(#","category":"M"}}"#), payload(#","category":"N"}}"#),
      ]
      try await place.queue("incoming").publish(
        bodies.enumerated().map { Message(id: "m\($0)", body: Array($1.utf8), headers: []) })
      let run = try await place.work(["--until-empty", "--categories", file])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      var lines: [String: JSONValue] = [:]
      for line in run.standardError.split(separator: "\n") {
        let value = try JSONDocument(Array(line.utf8)).root
        if let id = value["id"]?.string { lines[id] = value }
      }
      func values(_ id: String) -> [String?] {
        ["outcome", "left_out", "category", "category_detail"].map { lines[id]?[$0]?.string }
      }
      #expect(values("m0") == ["enriched", "1 of 2: MACOS invalid-payload", nil, nil])
      #expect(values("m1").prefix(2) == ["enriched", nil] && values("m1")[2]?.hasPrefix("M-") == true)
      #expect(
        values("m2") == ["unmodified", nil, nil, "the category 'N' is not in the --categories file"])
    }
  }

  @Test("a refused address is in the log line of its payload, even if other media are attached")
  func refusedAddresses() async throws {
    try await withWorkplace(.sqlite) { place in
      let photo = place.server.url(.serve(.file("photo.jpg", "image/jpeg")))
      let missing = place.server.url(.serve(Response(status: 404)))
      let redirect = place.server.url(.redirect(to: "http://[4000::1]/a.jpg"))
      let bodies = [["http://10.0.0.1/a.jpg"], [photo, missing, redirect, "http://192.0.2.1/"], [photo]].map {
        urls in
        let media = urls.map { "\"\($0)\"" }.joined(separator: ",")
        return Array(#"{"aps":{"alert":"Hello","mutable-content":1},"media":[\#(media)]}"#.utf8)
      }
      try await place.queue("incoming").publish(
        bodies.enumerated().map { Message(id: "m\($0)", body: $1, headers: []) })
      let run = try await place.work(["--until-empty", "--deny-network", "192.0.2.0/24"])
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let refused = [
        "10.0.0.1: 10.0.0.1 is not on the public internet (private network)",
        "[4000::1]: 4000::1 is not on the public internet (not global unicast); 192.0.2.1: 192.0.2.1 is in 192.0.2.0/24, which --deny-network closes",
      ]
      for (number, text) in refused.enumerated() {
        let lines = run.standardError.split(separator: "\n").filter { $0.contains(#""refused":"\#(text)""#) }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""id":"m\#(number)""#) == true)
        #expect(lines.first?.contains(#""level":"warning""#) == true)
      }
      for address in ["10.0.0.1", "4000::1", "192.0.2.1"] {
        #expect(run.standardError.split(separator: "\n").count { $0.contains(address) } == 1, "\(address)")
      }
    }
  }

  /// U+202E reverses the text after it: `moc.elpmaxe` is displayed as `example.com`.
  @Test("characters that are invisible or misleading are escaped in the log and on the status page")
  func spoofing()
    async throws
  {
    try await withWorkplace(.sqlite) { place in
      let url = "http://\u{202E}moc.elpmaxe\u{200B}\u{A0}\u{85}/a.jpg"
      let body = #"{"aps":{"alert":"Hello","mutable-content":1},"media":{"url":"\#(url)"}}"#
      try await place.queue("incoming").publish([
        Message(
          id: "a\u{202E}b\u{1b}", body: Array(body.utf8), headers: [Header("apns-id", "\u{2066}c\u{9b}")])
      ])
      let run = try await place.work(["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        #expect(await eventually { worker.log.contains(#""outcome":"unmodified""#) })
        for path in ["/status.json", "/metrics", "/"] {
          let text = try await fetch(origin, path)
          #expect(!text.unicodeScalars.contains { $0 != "\n" && !$0.isPrintable }, "\(path)")
          #expect(
            path != "/status.json"
              || text.contains(#""host":"\\u{202E}moc.elpmaxe\\u{200B}\\u{00A0}\\u{0085}""#),
            "\(text)")
        }
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      let line = try #require(run.standardError.split(separator: "\n").first { $0.contains(#""outcome":"#) })
      #expect(line.unicodeScalars.allSatisfy { $0.isPrintable })
      let value = try JSONDocument(Array(line.utf8)).root
      #expect(value["host"]?.string == #"\u{202E}moc.elpmaxe\u{200B}\u{00A0}\u{0085}"#)
      #expect(value["id"]?.string == #"a\u{202E}b\u{1B}"#)
      #expect(value["apns_id"]?.string == #"\u{2066}c\u{009B}"#)
    }
  }

  @Test(
    "a status that other machines can reach causes a warning with the address at the start",
    arguments: [
      ("127.0.0.1:0", "127.0.0.1", false), ("[::1]:0", "[::1]", false), ("localhost:0", "127.0.0.1", false),
      ("0.0.0.0:0", "0.0.0.0", true), ("[::]:0", "[::]", true),
    ])
  func status(address: String, host: String, isWarned: Bool) async throws {
    try await withWorkplace(.sqlite) { place in
      let run = try await place.work(["--status", address]) { worker in
        #expect(await eventually { worker.log.contains("the status is served") })
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      let lines = run.standardError.split(separator: "\n").filter { $0.contains("the status is served") }
      #expect(lines.count == 1)
      #expect(lines.first?.contains(#""level":"warning""#) == isWarned)
      #expect(lines.first?.contains("to everybody who reaches this address, without a password") == isWarned)
      #expect(lines.first?.contains(#""address":"\#(host):"#) == true)
    }
  }

  #if Redis
    @Test("a full disk under the log tears at most one line, and the dropped lines are counted")
    func fullDisk() async throws {
      try await withWorkplace(.redis) { place in
        @Sendable func publish(_ numbers: Range<Int>) async throws {
          let errands = numbers.map { Errand($0, #"{"aps":{"alert":"\#($0)"}}"#, .unmodified("not-mutable")) }
          try await place.publish(errands)
          try await place.wait(for: numbers.upperBound, in: "enriched")
        }
        let run = try await place.work([]) { worker in
          try await publish(0..<20)
          #expect(await eventually { worker.log.matches(of: #/"outcome":/#).count == 20 })
          // The limit is in the middle of a line.
          let limit = worker.logLength + 500
          try await Command.limitFiles(of: worker.process, to: limit)
          try await publish(20..<60)
          // Results do not wait for their lines.
          #expect(await eventually { worker.logLength >= limit })
          try await Command.limitFiles(of: worker.process, to: nil)
          try await publish(60..<80)
          _ = kill(worker.process, SIGTERM)
        }
        #expect(run.termination == .exited(0))
        let lines = run.standardError.split(separator: "\n")
        let torn = lines.filter { (try? JSONDocument(Array($0.utf8))) == nil }
        #expect(torn.count == 1 && torn[0].hasPrefix("{") && !torn[0].hasSuffix("}"), "\(torn)")
        let told = lines.filter { $0.hasSuffix("}") && $0.contains(#""outcome":"#) }.count
        let dropped = lines.compactMap { $0.firstMatch(of: #/"lines":"(\d+)"/#).flatMap { Int($0.output.1) } }
        #expect(!dropped.isEmpty)
        #expect(told + dropped.reduce(0, +) == 80, "\(told) \(dropped)")
      }
    }
  #endif
}
