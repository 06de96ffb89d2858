internal import Confining
internal import Enriching
internal import Fetching
internal import Measuring
internal import Notifications
internal import Queueing
internal import Sending
internal import Supporting
internal import Working

extension StatusBoard {
  /// The values that the page shows. The names may change, because programs should read `/metrics` instead.
  func json() async -> String {
    let backlog = await backlog.backlog
    let tally = measurements.tally()
    let deliveries = await deliveries.statistics?.recent
    let readiness = status.readiness().words
    var writer = JSONWriter()
    writer.object {
      $0.member("state", readiness.name)
      $0.member("text", readiness.text)
      $0.member("version", version)
      $0.member("uptime_s", Int(WallClock.seconds - start))
      $0.member("from", queues.source.map { "\($0.name.printable) (\($0.system))" })
      $0.member("to", queues.target.map { "\($0.name.printable) (\($0.system))" })
      $0.member("sandbox", confinement.missing.map { "incomplete: \($0)" } ?? confinement.inForce)
      $0.member("waiting", backlog?.waiting)
      $0.member("on_lease", backlog?.onLease)
      $0.member("oldest_s", backlog?.oldestAge.map { Int($0.components.seconds) })
      $0.member("rate", tally.rate)
      write(tally.recent, to: &$0)
      if let enricher {
        write(tally, to: &$0)
        write(enricher.unhealthyHosts, to: &$0)
      }
      if let counts = sending.counts { write(counts, to: &$0) }
      if let deliveries {
        $0.name("deliveries")
        deliveries.write(to: &$0)
      }
      $0.rows("figures", figures(tally)) {
        $0.member("name", $1.name)
        $0.member("value", $1.value)
        $0.member("of", $1.limit)
        $0.member("unit", $1.unit)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// How much of each limited resource is in use. Values with the unit `MB` are in bytes.
  private func figures(_ tally: Tally) -> [(name: String, value: Int, limit: Int?, unit: String?)] {
    var figures: [(name: String, value: Int, limit: Int?, unit: String?)] = [
      ("In flight", tally.inFlight, places, nil)
    ]
    if let transfers = enricher?.transfers {
      figures.append(("Downloads", transfers.taken, transfers.slots, nil))
    }
    figures.append(("Memory", PrivateMemory.sample(), enricher?.memoryLimit, "MB"))
    if let counts = sending.counts {
      figures.append(("At APNs", counts.streamsOpen, counts.streamsAllowed, nil))
    }
    if let counts = enricher?.cacheCounts {
      let all = counts.values.reduce(0, +)
      figures.append(("Not downloaded again", all - counts[.miss, default: 0], all, nil))
    }
    return figures
  }

  private func write(_ recent: RecentWork, to writer: inout JSONWriter) {
    writer.member("slot_s", RecentWork.slotSeconds)
    let paces = recent.paces
    for (name, counts) in [("finished", paces.map(\.finished)), ("failed", paces.map(\.failed))] {
      writer.name(name)
      writer.array { for count in counts { $0.write(count) } }
    }
    // The durations of payloads or, without an enricher, of APNs' answers since the start.
    let durations = enricher == nil ? sending.counts?.latency ?? recent.durations : recent.durations
    for (name, share) in [("p50_us", 0.5), ("p90_us", 0.9), ("p99_us", 0.99)] {
      writer.member(name, durations.quantile(share))
    }
  }

  /// Writes the hosts that have been silent for the longest.
  private func write(_ hosts: [UnhealthyHost], to writer: inout JSONWriter) {
    writer.rows("unhealthy", hosts.sorted { $0.since < $1.since }.prefix(8)) {
      $0.member("host", $1.origin.printable)
      $0.member("since_s", Int($1.since.duration(to: .now).components.seconds))
      $0.member("next_s", Int(ContinuousClock.now.duration(to: $1.nextTry).components.seconds))
    }
  }

  /// Writes how often APNs has given each answer, the most frequent first, and how many pushes are
  /// uncertain or were repeated.
  private func write(_ counts: SendingTally.Counts, to writer: inout JSONWriter) {
    let answers = [("sent", counts.sent)] + counts.refused.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    writer.rows("answers", answers.filter { $0.1 > 0 }) {
      $0.member("reason", $1.0.printable)
      $0.member("count", $1.1)
    }
    writer.member("uncertain", counts.uncertain)
    writer.member("repeated", counts.repeated)
  }

  private func write(_ tally: Tally, to writer: inout JSONWriter) {
    let outcomes = zip(Verdict.allCases, zip(tally.recent.verdictCounts, tally.verdicts))
    writer.rows("outcomes", outcomes.filter { $0.1.1 > 0 }) {
      $0.member("name", $1.0.name)
      $0.member("failure", $1.0.isFailure)
      $0.member("recent", $1.1.0)
      $0.member("total", Int($1.1.1))
    }
    writer.rows("hosts", tally.slowestHosts(8)) {
      $0.member("host", $1.host.printable)
      $0.member("requests", $1.requests)
      $0.member("failures", $1.failures)
      $0.member("mean_us", Int($1.mean))
      $0.member("slowest_us", Int($1.slowest))
    }
    writer.rows("failures", tally.failures.entries) {
      $0.member("reason", $1.reason.rawValue)
      $0.member("host", $1.host?.printable)
      $0.member("detail", $1.detail.printable)
      $0.member("advice", $1.advice ?? $1.reason.advice)
      $0.member("count", $1.count)
      $0.member("age_s", Int($1.time.duration(to: .now).components.seconds))
    }
  }
}

extension JSONWriter {
  fileprivate mutating func rows<Row>(
    _ name: String, _ rows: some Sequence<Row>, _ write: (inout JSONWriter, Row) -> Void
  ) {
    self.name(name)
    array { for row in rows { $0.object { write(&$0, row) } } }
  }
}

extension Verdict {
  var name: String { if case .unmodified(let reason) = self { reason.rawValue } else { "enriched" } }
}
