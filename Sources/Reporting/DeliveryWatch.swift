internal import Enriching
internal import Measuring
package import PushQueueing
internal import Supporting
internal import Synchronization

/// Reads the statistics of the push queue for the status pages, at most every ten seconds, however often the
/// pages are requested.
package final class DeliveryWatch: Sendable {
  /// The number of days, including today. More would take too much memory.
  static let days = 7

  private struct State {
    var queue: (any PushQueue)?
    var last: (all: DayStatistics, recent: DeliveryReport)?
    var nextTime = MonotonicTime.now
  }

  private let pause: Duration
  private let state = Mutex(State())

  package init(pause: Duration = .seconds(10)) { self.pause = pause }

  package func begin(with queue: any PushQueue) { state.withLock { $0.queue = queue } }

  /// The sums over the last days, and the rows that they come from. Nil without a push queue, or while it
  /// does not answer.
  var statistics: (all: DayStatistics, recent: DeliveryReport)? {
    get async {
      let queue = state.withLock { state -> (any PushQueue)? in
        guard MonotonicTime.now >= state.nextTime else { return nil }
        state.nextTime = MonotonicTime.now + pause
        return state.queue
      }
      if let queue { _ = await Deadline(.milliseconds(500)).limit { [self] in await read(queue) } }
      return state.withLock { $0.last }
    }
  }

  private func read(_ queue: any PushQueue) async {
    let today = WallClock.day
    let statistics = try? await queue.statistics(of: nil, days: today - Self.days + 1...today)
    let report = statistics.map { DeliveryReport($0) }
    state.withLock { state in state.last = report.map { (all: $0.total, recent: $0) } }
  }
}

extension DayStatistics {
  /// The sums, with a bounded number of labels.
  var metrics: [MetricFamily] {
    [
      MetricFamily(
        "push_enricher_deliveries", .gauge,
        "Numbered pushes by outcome, over all processes with this push queue and the last 7 days.",
        Statistic.named.map { ([.init("event", $0.name)], .number(Double(self[$0.statistic]))) })
    ]
  }
}
