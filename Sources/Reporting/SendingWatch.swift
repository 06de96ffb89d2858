package import Sending
internal import Measuring
internal import Supporting
internal import Synchronization

/// Reads the counts of a sink for APNs, once the target is open. Other targets have no such metrics.
package final class SendingWatch: Sendable {
  private let read = Mutex<(@Sendable () -> SendingTally.Counts)?>(nil)

  package init() {}

  package func begin(reading counts: @escaping @Sendable () -> SendingTally.Counts) {
    read.withLock { $0 = counts }
  }

  var counts: SendingTally.Counts? { read.withLock { $0 }?() }
}

extension SendingTally.Counts {
  /// One row for each metric.
  var metrics: [MetricFamily] {
    [
      MetricFamily(
        "push_enricher_apns_answers_total", .counter,
        "Answers of APNs, by reason; `sent` if it took the push.",
        ([("sent", sent)] + refused.sorted { $0.key < $1.key }).map {
          ([.init("reason", $0.0)], .count(UInt64($0.1)))
        }),
      MetricFamily(
        "push_enricher_apns_answer_duration_seconds", .histogram, "Time from a push to its answer.",
        [([], .histogram(latency))]),
      .counter(
        "push_enricher_apns_uncertain_total",
        "Pushes whose connection ended, or that had no answer in time. They are sent again.",
        UInt64(uncertain)),
      .counter("push_enricher_apns_repeated_total", "Pushes that were sent once more.", UInt64(repeated)),
      .counter(
        "push_enricher_apns_connections_opened_total", "Connections to APNs that were opened.",
        UInt64(connectionsOpened)),
      MetricFamily(
        "push_enricher_apns_connections_closed_total", .counter, "Connections to APNs that ended, by cause.",
        connectionsClosed.sorted { $0.key < $1.key }.map {
          ([.init("cause", $0.key)], .count(UInt64($0.value)))
        }),
      .gauge("push_enricher_apns_streams", "Pushes that wait for their answer.", streamsOpen),
      .gauge(
        "push_enricher_apns_stream_slots", "Pushes that APNs allows at once, on all connections.",
        streamsAllowed),
      MetricFamily(
        "push_enricher_apns_token_age_seconds", .gauge, "Age of the provider token.",
        tokenAge.map { [([], .number(Double($0.milliseconds) / 1_000))] } ?? []),
      .gauge(
        "push_enricher_apns_credentials_refused", "1 while APNs refuses the key or certificate; 0 otherwise.",
        credentialsFault == nil ? 0 : 1),
    ]
  }
}
