internal import Confining
internal import Enriching
internal import Fetching
internal import Measuring
internal import Notifications
internal import Queueing
internal import Supporting
internal import Working

extension StatusBoard {
  /// What the page shows. The names may change: programs read `/metrics`.
  func json() async -> String {
    let backlog = await backlog.backlog
    let tally = measurements.tally()
    let readiness = status.readiness()
    var writer = JSONWriter()
    writer.object {
      $0.member("state", readiness.name)
      $0.member("text", readiness.text)
      $0.member("version", version)
      $0.member("uptime_s", Int(WallClock.seconds - start))
      $0.member("from", source.map { "\($0.name.printable) (\($0.system))" })
      $0.member("to", target.map { "\($0.name.printable) (\($0.system))" })
      $0.member("sandbox", confinement.missing.map { "incomplete: \($0)" } ?? confinement.inForce)
      $0.member("waiting", backlog?.waiting)
      $0.member("on_lease", backlog?.onLease)
      $0.member("oldest_s", backlog?.oldestAge.map { Int($0.components.seconds) })
      $0.member("rate", tally.rate)
      write(tally.recent, to: &$0)
      write(tally, to: &$0)
      write(enricher.unhealthyHosts, to: &$0)
      $0.name("figures")
      $0.array { for figure in figures(tally) { $0.write(figure) } }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A row each.
  private func figures(_ tally: Tally) -> [StatusFigure] {
    let transfers = enricher.transfers
    let reused = enricher.cacheCounts.map { ($0.hits + $0.revalidations + $0.shared, $0.misses) }
    return [
      StatusFigure("In flight", tally.inFlight, of: places),
      StatusFigure("Downloads", transfers.taken, of: transfers.slots),
      StatusFigure("Memory", PrivateMemory.sample(), of: enricher.memoryLimit, unit: "MB"),
    ] + (reused.map { [StatusFigure("Not downloaded again", $0.0, of: $0.0 + $0.1)] } ?? [])
  }

  private func write(_ recent: RecentWork, to writer: inout JSONWriter) {
    let durations = recent.durations
    let paces = recent.paces
    writer.member("slot_s", RecentWork.slotSeconds)
    writer.name("finished")
    writer.array { for pace in paces { $0.write(pace.finished) } }
    writer.name("failed")
    writer.array { for pace in paces { $0.write(pace.failed) } }
    for (name, share) in [("p50_us", 0.5), ("p90_us", 0.9), ("p99_us", 0.99)] {
      writer.member(name, durations.quantile(share))
    }
  }

  /// Those that have been silent for the longest.
  private func write(_ hosts: [UnhealthyHost], to writer: inout JSONWriter) {
    writer.name("unhealthy")
    writer.array {
      for host in hosts.sorted(by: { $0.since < $1.since }).prefix(8) {
        $0.object {
          $0.member("host", host.origin.printable)
          $0.member("since_s", Int(host.since.duration(to: .now).components.seconds))
          $0.member("next_s", Int(ContinuousClock.now.duration(to: host.nextTry).components.seconds))
        }
      }
    }
  }

  private func write(_ tally: Tally, to writer: inout JSONWriter) {
    let recent = tally.recent.verdictCounts
    writer.name("outcomes")
    writer.array {
      for (index, verdict) in Verdict.allCases.enumerated() where tally.verdicts[index] > 0 {
        $0.object {
          $0.member("name", verdict.name)
          $0.member("failure", verdict.isFailure)
          $0.member("recent", recent[index])
          $0.member("total", Int(tally.verdicts[index]))
        }
      }
    }
    writer.name("hosts")
    writer.array {
      for row in tally.slowestHosts(8) {
        $0.object {
          $0.member("host", row.host.printable)
          $0.member("requests", row.requests)
          $0.member("failures", row.failures)
          $0.member("mean_us", Int(row.mean))
          $0.member("slowest_us", Int(row.slowest))
        }
      }
    }
    writer.name("failures")
    writer.array {
      for entry in tally.failures.entries {
        $0.object {
          $0.member("reason", entry.reason.rawValue)
          $0.member("host", entry.host?.printable)
          $0.member("detail", entry.detail.printable)
          $0.member("advice", entry.reason.advice)
          $0.member("count", entry.count)
          $0.member("age_s", Int(entry.time.duration(to: .now).components.seconds))
        }
      }
    }
  }
}

extension Verdict {
  /// As people and programs know it.
  fileprivate var name: String {
    switch self {
    case .enriched: "enriched"
    case .unmodified(let reason): reason.rawValue
    }
  }
}
