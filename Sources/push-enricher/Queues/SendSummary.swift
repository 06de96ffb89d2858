internal import Logging
internal import Measuring
internal import Sending

/// Logs the work of `send`: a line each minute in which something has changed, and one at the end. A line for
/// each message, as in `work`, would take longer than the push.
struct SendSummary: Sendable {
  let log: Logger
  let measurements: Measurements
  let counts: @Sendable () -> SendingTally.Counts

  /// Runs until the task is cancelled. The last line is for `tell`.
  /// - Parameter wait: waits for a minute. Throws when the task is cancelled.
  func tellRegularly(
    each wait: () async throws -> Void = { try await Task.sleep(for: .seconds(60)) }
  ) async {
    var last = metadata
    while (try? await wait()) != nil {
      let current = metadata
      guard current != last else { continue }
      log.info("sent so far", metadata: current)
      last = current
    }
  }

  func tell() { log.info("sent", metadata: metadata) }

  /// Counts since the start. Counts that are usually zero are left out while they are.
  private var metadata: Logger.Metadata {
    let (counts, tally) = (counts(), measurements.tally())
    var metadata: Logger.Metadata = ["accepted": "\(counts.sent)"]
    let refused = counts.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !refused.isEmpty {
      metadata["refused"] = "\(refused.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
    }
    for (name, count) in [
      ("dead_letters", Int(tally.deadLetters)), ("put_aside", Int(tally.postponed)),
      ("repeated", counts.repeated), ("uncertain", counts.uncertain),
    ] where count > 0 {
      metadata[name] = "\(count)"
    }
    return metadata
  }
}
