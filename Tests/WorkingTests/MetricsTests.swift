import Glibc
import Misbehaving
import TestSupport
import Testing

/// What `work --status` reports to Prometheus.
@Suite("The metrics of a running worker", .timeLimit(.minutes(5)))
struct MetricsTests {
  @Test("the metrics of a worker count its work, in a format that a strict parser accepts")
  func counts() async throws {
    try await withWorkplace(.sqlite) { place in
      let run = try await place.work(["--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        let errands = Errand.mixed(20, place.server)
        try await place.publish(errands)
        var metrics = try await metrics(at: origin)
        // A result is published before it is counted.
        #expect(
          try await eventually {
            metrics = try await self.metrics(at: origin)
            return metrics.sum("push_enricher_outcomes_total") == 20
          })
        func unmodified(_ reason: String) -> Double? {
          metrics.value("push_enricher_outcomes_total", ["outcome": "unmodified", "reason": reason])
        }
        #expect(metrics.value("push_enricher_outcomes_total", ["outcome": "enriched", "reason": ""]) == 6)
        #expect(unmodified("http-status") == 2)
        #expect(unmodified("invalid-payload") == 4)
        #expect(unmodified("poison") == 0)
        let (from, to) = (Self.labels("incoming"), Self.labels("enriched"))
        #expect(metrics.value("messaging_client_consumed_messages_total", from) == 20)
        #expect(metrics.value("messaging_client_sent_messages_total", to) == 20)
        #expect(metrics.value("messaging_client_sent_messages_total", Self.labels("dead-letters")) == 4)
        #expect(metrics.sum("messaging_process_duration_seconds_count", from) == 20)
        #expect(metrics.sum("messaging_client_operation_duration_seconds_count", to) == 20)
        #expect(metrics.value("push_enricher_stage_duration_seconds_count", ["stage": "store"]) == 6)
        #expect(try #require(metrics.value("push_enricher_received_bytes_total")) > 4 * 7_000)
        #expect(try #require(metrics.value("push_enricher_attached_bytes_total")) > 4 * 7_000)
        // Payloads that fetch nothing have as many places as the 64 that do.
        #expect(metrics.value("push_enricher_message_slots") == 128)
        #expect(try await fetch(origin, "/status.json").contains(#/"In flight","value":[0-9]+,"of":128\}/#))
        #expect(metrics.value("push_enricher_ready") == 1)
        #expect(
          try await eventually {
            try await self.metrics(at: origin).value("push_enricher_in_flight_messages") == 0
          })
        #expect(try #require(metrics.value("push_enricher_private_memory_bytes")) > 100_000)
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
    }
  }

  @Test(
    "the article Monitoring lists all metrics of a worker with their types, and no others",
    arguments: BrokerKind.outsiders)
  func article(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let run = try await place.work(["--status", "127.0.0.1:0", "--concurrency", "1"]) { worker in
        let origin = try await worker.statusOrigin()
        // The age of the oldest message needs a message.
        try await place.publish(Self.slow(place))
        let rows = try Documentation.article("Monitoring").text.matches(
          of: #/\n\| `([a-z_]+)` \| (counter|gauge|histogram) \|/#)
        // Tests work without the cache, and a missing cache is not counted.
        let documented = rows.map { "\($0.output.1) \($0.output.2)" }
          .filter { $0 != "push_enricher_cache_uses_total counter" }
        #expect(Set(documented).count == documented.count)
        let names = Set(rows.map { String($0.output.1) })
        let alerts = try Documentation.article("Monitoring").blocks("yaml").filter { $0.contains("expr:") }
          .joined()
        // Workers that are gone report nothing to compare, and each worker reports the whole queue.
        #expect(alerts.contains("absent(push_enricher_ready)"))
        #expect(!alerts.contains(#/sum[^\n]*push_enricher_queue_messages/#))
        for word in alerts.matches(
          of: #/(push_enricher|messaging_[a-z]+)_[a-z_]+(seconds|total|messages|ready|bytes)/#)
        {
          #expect(names.contains(String(word.output.0)), "\(word.output.0)")
        }
        var seen: [String] = []
        #expect(
          try await eventually {
            let metrics = try await self.metrics(at: origin)
            seen = metrics.families.map { "\($0.name) \($0.type)" }
            return seen.contains("\(Self.age) gauge") || kind == .sqlite
          })
        // A worker without a door has no metrics about it, and a worker that sends to a queue has none about
        // APNs.
        let others = ["push_enricher_door_", "push_enricher_apns_", "push_enricher_deliveries"]
        let expected = documented.filter { metric in
          (kind != .sqlite || !metric.hasPrefix(Self.age)) && !others.contains { metric.hasPrefix($0) }
        }
        #expect(seen.sorted() == expected.sorted())
        worker.stopAtOnce()
      }
      #expect(run.termination == .signalled(SIGKILL), "\(run.standardError)")
    }
  }

  #if Redis
    @Test("the metrics of a worker report the backlog of the queue, and none while the queue is away")
    func backlog()
      async throws
    {
      try await withWorkplace(mortal: .redis) { place, broker in
        let run = try await place.work(["--status", "127.0.0.1:0", "--concurrency", "1"]) { worker in
          let origin = try await worker.statusOrigin()
          try await place.publish(Self.slow(place))
          func queue(_ state: String) async throws -> Double? {
            let labels = [
              "messaging_system": "redis", "messaging_destination_name": Self.name(of: place), "state": state,
            ]
            return try await metrics(at: origin).value("push_enricher_queue_messages", labels)
          }
          #expect(try await eventually { try await queue("waiting") ?? 0 >= 1 })
          #expect(try await eventually { try await queue("on-lease") ?? 0 >= 1 })
          try await broker.withOutage {
            let isLeftOut = try await eventually { try await queue("waiting") == nil }
            #expect(isLeftOut)
          }
          #expect(try await eventually { try await queue("waiting") != nil })
          worker.stopAtOnce()
        }
        #expect(run.termination == .signalled(SIGKILL), "\(run.standardError)")
      }
    }

    private static func name(of place: Workplace) -> String {
      place.url("incoming").split(separator: "/").last.map { String($0.prefix { $0 != "?" }) } ?? ""
    }
  #endif

  /// More payloads than a worker with one download can finish during a test. A host that never answers would
  /// not do: after a few seconds, its payloads go out at once.
  private static func slow(_ place: Workplace) -> [Errand] {
    Errand.photos(0..<1_000, place.server, late: .seconds(1))
  }

  private static let age = "push_enricher_queue_oldest_message_age_seconds"

  private static func labels(_ queue: String) -> [String: String] {
    ["messaging_system": "sqlite", "messaging_destination_name": queue]
  }

  private func metrics(at origin: String) async throws -> Exposition {
    let answer = try await fetch(origin, "/metrics")
    #expect(answer.hasSuffix("\n200"))
    return try Exposition(String(answer.dropLast(3)))
  }
}
