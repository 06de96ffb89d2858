internal import Enriching
internal import Sniffing

extension Tally {
  /// One row per metric. The names come from OpenTelemetry's messaging conventions if they have one
  /// (opentelemetry.io/docs/specs/semconv/messaging), spelled as in Prometheus.
  /// - Parameters:
  ///   - source: labels of the queue that messages come from.
  ///   - target: labels of the queue that results go into.
  ///   - letters: labels of the queue for dead letters.
  package func metrics(
    from source: [MetricFamily.Label], to target: [MetricFamily.Label],
    deadLetters letters: [MetricFamily.Label]
  ) -> [MetricFamily] {
    [
      MetricFamily(
        "push_enricher_outcomes_total", .counter,
        "Published payloads, by outcome and reason.",
        zip(Verdict.allCases, verdicts).map { ($0.labels, .count($1)) }),
      MetricFamily(
        "messaging_process_duration_seconds", .histogram, "From receiving a payload to its result.",
        [
          (source + [.outcome("enriched")], .histogram(enriched)),
          (source + [.outcome("unmodified")], .histogram(unmodified)),
        ]),
      MetricFamily(
        "push_enricher_stage_duration_seconds", .histogram, "Time of each stage of a download.",
        zip(Stage.allCases, stages).map { ([.init("stage", $0.rawValue)], .histogram($1)) }),
      MetricFamily(
        "messaging_client_consumed_messages_total", .counter, "Messages that were taken from the queue.",
        [(source, .count(consumed))]),
      MetricFamily(
        "messaging_client_sent_messages_total", .counter,
        "Published results, and failed attempts with their error_type.",
        sent(to: target, deadLetters: letters)),
      MetricFamily(
        "messaging_client_operation_duration_seconds", .histogram,
        "Time of publishing a result and acknowledging its message, if it worked.",
        [(target + [.init("messaging_operation_name", "publish")], .histogram(publishing))]),
      .counter(
        "push_enricher_receive_errors_total", "Failed attempts to take messages from the queue.",
        receiveErrors),
      .counter(
        "push_enricher_returned_messages_total",
        "Messages that went back to their queue because their hosts were busy, or the store failed.", returned
      ),
      .counter(
        "push_enricher_postponed_messages_total",
        "Messages that were put aside, because they have a later time, or APNs wants them later.", postponed),
      MetricFamily(
        "push_enricher_door_answers_total", .counter,
        "Answers of the door, by status; 499 if the client went away before its answer.",
        answers.sorted { $0.key < $1.key }.map { ([.init("status", "\($0.key)")], .count($0.value)) }),
      .counter("push_enricher_received_bytes_total", "Bytes of bodies that servers sent.", received),
      .counter("push_enricher_attached_bytes_total", "Bytes of the files that were attached.", attached),
      MetricFamily(
        "push_enricher_media_warnings_total", .counter, "Attached files that iOS may not show, by kind.",
        MediaWarning.allCases.map {
          ([.init("kind", $0.rawValue)], .count(warnings[$0.rawValue, default: 0]))
        }),
      .gauge("push_enricher_in_flight_messages", "Messages that are being worked on.", inFlight),
    ]
  }

  /// Two queues with the same labels count as one: Prometheus rejects a page that has a series twice.
  private func sent(
    to target: [MetricFamily.Label], deadLetters letters: [MetricFamily.Label]
  ) -> [MetricFamily.Sample] {
    func failed(_ errors: [String: UInt64], _ queue: [MetricFamily.Label]) -> [MetricFamily.Sample] {
      errors.sorted { $0.key < $1.key }.map { (queue + [.init("error_type", $0.key)], .count($0.value)) }
    }
    let published = verdicts.reduce(sent, &+)
    guard target != letters else {
      let errors = publishErrors.merging(letterErrors, uniquingKeysWith: &+)
      return [(target, .count(published + deadLetters))] + failed(errors, target)
    }
    return [(target, .count(published)), (letters, .count(deadLetters))] + failed(publishErrors, target)
      + failed(letterErrors, letters)
  }
}

extension Verdict {
  /// `reason` is empty for `enriched`.
  fileprivate var labels: [MetricFamily.Label] {
    switch self {
    case .enriched: [.outcome("enriched"), .init("reason", "")]
    case .unmodified(let reason): [.outcome("unmodified"), .init("reason", reason.rawValue)]
    }
  }
}

extension MetricFamily.Label {
  fileprivate static func outcome(_ name: String) -> MetricFamily.Label { .init("outcome", name) }
}
