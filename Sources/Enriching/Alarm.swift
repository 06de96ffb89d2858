internal import Dispatch
internal import Synchronization

/// Calls once at a given time, unless it is switched off before; takes no memory from then on. A task that sleeps would hold its
/// memory until its time is over, also when it is cancelled: at a thousand payloads a second, 30 s of that are 20 MB.
final class Alarm: Sendable {
  private static let queue = DispatchQueue(label: "push-enricher.alarms")

  private let timer: Mutex<any DispatchSourceTimer>

  /// - Parameter action: called on a queue that all alarms share: it must not block.
  init(at time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: Self.queue)
    let rest = max(.zero, ContinuousClock.now.duration(to: time))
    timer.schedule(deadline: .now() + .nanoseconds(rest.nanoseconds), leeway: .milliseconds(1))
    timer.setEventHandler(handler: action)
    timer.activate()
    self.timer = Mutex(timer)
  }

  /// `action` is not called any more, unless it is being called.
  func switchOff() { timer.withLock { $0.cancel() } }
}

extension Duration {
  /// Whole nanoseconds, rounded down; the most that a number holds for what is longer.
  fileprivate var nanoseconds: Int {
    let (whole, overflow) = Int(components.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : whole + Int(components.attoseconds / 1_000_000_000)
  }
}
