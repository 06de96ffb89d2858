internal import Confining
internal import Enriching
internal import Measuring
internal import Queueing
internal import Working

extension StatusBoard {
  /// One row for each metric: those of the worker, and values that are read now.
  func metrics() async -> [MetricFamily] {
    let sandbox = confinement.missing == nil ? "complete" : "incomplete"
    let tally = measurements.tally()
      .metrics(
        from: Self.labels(queues.source), to: Self.labels(queues.target),
        deadLetters: Self.labels(queues.deadLetters))
    return (enricher == nil ? tally.filter { Self.forwarding.contains($0.name) } : tally)
      + queueMetrics(await backlog.backlog) + (sending.counts?.metrics ?? [])
      + (await deliveries.statistics?.all.metrics ?? []) + (enricher.map(metrics) ?? []) + [
        .gauge("push_enricher_message_slots", "Messages that may be worked on at once.", places),
        .gauge(
          "push_enricher_private_memory_bytes", "Private memory of the process (RssAnon).",
          PrivateMemory.sample()),
        .gauge(
          "push_enricher_private_memory_peak_bytes", "The largest private memory seen so far.",
          PrivateMemory.peak),
        .gauge(
          "push_enricher_ready",
          "1 while messages can be taken and published, as /readyz says; 0 otherwise.",
          status.readiness() == .ready ? 1 : 0),
        MetricFamily(
          "push_enricher_info", .gauge,
          "Always 1; the labels give the version and the state of the sandbox.",
          [([.init("version", version), .init("sandbox", sandbox)], .number(1))]),
        .gauge("process_start_time_seconds", "When the process started, in seconds since 1970.", start),
      ]
  }

  /// The metrics of the tally that concern messages, and not their media.
  private static let forwarding: Set = [
    "messaging_client_consumed_messages_total", "messaging_client_sent_messages_total",
    "push_enricher_receive_errors_total", "push_enricher_postponed_messages_total",
    "push_enricher_in_flight_messages",
  ]

  private func metrics(_ enricher: Enricher) -> [MetricFamily] {
    let transfers = enricher.transfers
    return [
      MetricFamily(
        "push_enricher_cache_uses_total", .counter, "Media, by where they came from.",
        enricher.cacheCounts.map { counts in
          CacheUse.allCases.map { ([.init("result", $0.rawValue)], .count(UInt64(counts[$0, default: 0]))) }
        } ?? []),
      .gauge(
        "push_enricher_unhealthy_hosts", "Hosts that are not asked now, because they do not answer.",
        enricher.unhealthyHosts.count),
      .gauge(
        "push_enricher_transfers", "Downloads that have room in memory now, running or about to.",
        transfers.taken),
      .gauge(
        "push_enricher_transfer_slots", "Downloads at once that memory and concurrency allow.",
        transfers.slots),
      .gauge(
        "push_enricher_private_memory_limit_bytes", "Private memory that the process may have.",
        enricher.memoryLimit),
      .gauge(
        "push_enricher_waiting_for_store",
        "1 while nothing is taken from the queue because the store fails; 0 otherwise.",
        status.isWaitingForStore ? 1 : 0),
    ]
  }

  private func queueMetrics(_ backlog: Backlog?) -> [MetricFamily] {
    guard let backlog else { return [] }
    let labels = Self.labels(queues.source)
    let counts = [("waiting", backlog.waiting), ("on-lease", backlog.onLease)].compactMap { state, count in
      count.map { (labels + [.init("state", state)], MetricFamily.Value.number(Double($0))) }
    }
    return [
      MetricFamily(
        "push_enricher_queue_messages", .gauge,
        "Messages in the queue that work is taken from, as far as the broker reports them.", counts),
      MetricFamily(
        "push_enricher_queue_oldest_message_age_seconds", .gauge,
        "How long ago the oldest message in that queue was put into it.",
        backlog.oldestAge.map { [(labels, .number($0 / .seconds(1)))] } ?? []),
    ]
  }

  private static func labels(_ queue: QueueLabel?) -> [MetricFamily.Label] {
    guard let queue else { return [] }
    return [.init("messaging_system", queue.system), .init("messaging_destination_name", queue.name)]
  }
}
