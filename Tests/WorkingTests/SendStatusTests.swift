import Glibc
import Misbehaving
import Notifications
import Queueing
import TestSupport
import Testing

/// What `--status` shows about APNs, in a real browser and to programs.
@Suite("The status of sending", .timeLimit(.minutes(10)))
struct SendStatusTests {
  private static func message(_ id: String, to device: String) -> Message {
    Message(
      id: id, body: Array(#"{"aps":{"alert":"Hi"}}"#.utf8),
      headers: [Header("device-token", device), Header("apns-topic", "com.example.app")])
  }

  private static func rows(_ table: String) -> String {
    """
    [...document.querySelectorAll('#\(table) tbody tr')].map(row => [...row.cells].map(
      cell => cell.textContent + (cell.querySelector('.bad') ? '!' : '')).join(' ')).join('; ')
    """
  }

  /// Runs `body` with a command that sends to a mock of APNs, and shows its status.
  private static func withSender(
    _ command: String, _ behaviour: APNsBehaviour = .healthy, numbers: Bool = false,
    _ body: @Sendable (Workplace, RunningWorker, _ origin: String) async throws -> Void
  ) async throws {
    try await withWorkplace(.sqlite) { place in
      try await withTLS(speaking: .http2) { tls, file in
        try await withMockAPNs(behaviour, tls: tls) { mock in
          let key = place.folder.path(of: "AuthKey.p8")
          try mock.key.write(to: key)
          let arguments = [
            command, "--from", place.url("incoming"), "--to", mock.target(key: key), "--dead-letters",
            place.url("dead-letters"), "--ca-file", file, "--status", "127.0.0.1:0", "--wait-for-queues",
            "60s",
          ]
          let store = command == "work" ? ["--store", place.store] : []
          let tickets = place.folder.path(of: "ticket.key")
          try Files.write(Array(String(repeating: "0b", count: 32).utf8), to: tickets, mode: 0o600)
          let queue = "sqlite:\(place.folder.path(of: "push-queue.db"))"
          let numbering = numbers ? ["--push-queue", queue, "--push-queue-key", tickets] : []
          let run = try await place.run(arguments + store + numbering) { sender in
            let origin = try await sender.statusOrigin()
            try await body(place, sender, origin)
            #expect(kill(sender.process, SIGTERM) == 0)
          }
          #expect(run.termination == .exited(0), "\(run.standardError)")
        }
      }
    }
  }

  @Test("the page lists the answers of APNs", arguments: ["work", "send"]) func page(command: String)
    async throws
  {
    try await Browser.run { browser in
      try await Self.withSender(command) { place, _, origin in
        try await browser.open("\(origin)/")
        #expect(try await browser.shows("ready", in: "document.getElementById('state').className"))
        #expect(try await browser.shows("false", in: "document.getElementById('answers-card').hidden"))
        let isMedia = "document.getElementById('media').hidden"
        #expect(try await browser.shows(command == "send" ? "true" : "false", in: isMedia))
        let wrong = APNsReason.BadDeviceToken.deviceToken
        try await place.queue("incoming").publish(
          (0..<3).map { Self.message("m\($0)", to: "ab1\($0)") } + [Self.message("wrong", to: wrong)])
        #expect(try await browser.shows("sent 3; BadDeviceToken! 1", in: Self.rows("answers")))
        #expect(try await browser.value(of: "document.getElementById('uncertain').textContent") == "")
        let figures = try await browser.value(of: "document.getElementById('figures').textContent")
        #expect(figures.contains("At APNs0 of "), "\(figures)")
        #expect(!figures.contains("undefined"), "\(figures)")
        #expect(browser.seen("Runtime.exceptionThrown", "params.exceptionDetails.text") == [])
        for width in [360, 1_280] {
          try await browser.emulate(width: width, isDark: false)
          #expect(try await browser.shows("\(width)", in: "innerWidth"))
          let overhang = try await browser.value(of: "document.documentElement.scrollWidth - innerWidth")
          #expect(Int(overhang) ?? .max <= 0, "at \(width)")
        }
      }
    }
  }

  @Test("the page shows what became of numbered pushes", arguments: ["work", "send"])
  func deliveries(command: String) async throws {
    try await Browser.run { browser in
      try await Self.withSender(command, numbers: true) { place, _, origin in
        try await place.queue("incoming").publish(
          (0..<3).map { number in
            Message(
              id: "m\(number)", body: Array(#"{"aps":{"alert":"Hi","mutable-content":1}}"#.utf8),
              headers: [
                Header("device-token", "ab1\(number)"), Header("device-id", "D\(number)"),
                Header("apns-topic", "com.example.app"),
              ])
          })
        try await browser.open("\(origin)/")
        // The page gets these numbers once in ten seconds.
        #expect(try await browser.shows("com.example.app 3 0 0 0 0", in: Self.rows("deliveries")))
        #expect(try await browser.shows("false", in: "document.getElementById('deliveries-card').hidden"))
        let bars =
          "document.querySelectorAll('#days .done').length + document.querySelectorAll('#hours .done').length"
        #expect(try await browser.value(of: bars) == "31")
        #expect(browser.seen("Runtime.exceptionThrown", "params.exceptionDetails.text") == [])
        for width in [360, 1_280] {
          try await browser.emulate(width: width, isDark: false)
          #expect(try await browser.shows("\(width)", in: "innerWidth"))
          let overhang = try await browser.value(of: "document.documentElement.scrollWidth - innerWidth")
          #expect(Int(overhang) ?? .max <= 0, "at \(width)")
        }
      }
    }
  }

  @Test("send serves metrics, its readiness and its status") func programs() async throws {
    try await Self.withSender("send") { place, _, origin in
      #expect(try await eventually { try await fetch(origin, "/readyz") == "ready\n200" })
      let wrong = APNsReason.BadDeviceToken.deviceToken
      try await place.queue("incoming").publish(
        (0..<30).map { Self.message("m\($0)", to: "ab\(10 + $0)") } + [Self.message("wrong", to: wrong)])
      func metrics() async throws -> Exposition {
        try Exposition(String(try await fetch(origin, "/metrics").dropLast(3)))
      }
      #expect(
        try await eventually {
          let now = try await metrics()
          return now.value("push_enricher_apns_answers_total", ["reason": "sent"]) == 30
            && now.value("push_enricher_in_flight_messages") == 0
        })
      let last = try await metrics()
      #expect(last.value("push_enricher_apns_answers_total", ["reason": "BadDeviceToken"]) == 1)
      #expect(last.sum("messaging_client_consumed_messages_total") == 31)
      #expect(last.value("push_enricher_ready") == 1)
      #expect(last.value("push_enricher_message_slots") == 512)
      // There are no metrics about media.
      #expect(last.value("push_enricher_transfers") == nil)
      #expect(last.sum("push_enricher_outcomes_total") == 0)
      let text = try await fetch(origin, "/status.json").dropLast(3)
      let json = try JSONDocument(Array(text.utf8)).root
      #expect(json["answers"]?.elements.compactMap { $0["count"]?.integer } == [30, 1])
      #expect(json["to"]?.string == "127.0.0.1 (apns)")
      #expect(json["outcomes"] == nil)
    }
  }

  @Test("send is not ready while APNs refuses the key, and says why") func refused() async throws {
    try await Self.withSender("send", .always(.InvalidProviderToken)) { place, sender, origin in
      try await place.queue("incoming").publish([Self.message("m", to: "ab12")])
      #expect(
        try await eventually {
          let answer = try await fetch(origin, "/readyz")
          return answer.hasPrefix("nothing is taken: APNs answered 403 InvalidProviderToken ")
            && answer.hasSuffix("that it has not been revoked\n503")
        })
      #expect(
        try await fetch(origin, "/metrics").contains("\npush_enricher_apns_credentials_refused 1\n"))
    }
  }
}
