internal import Synchronization

/// A message as a queue hands it out: on lease, until it is settled, released, or the lease runs out.
package struct Delivery: Sendable, Equatable {
  package let message: Message
  /// As far as hand-outs are counted: a queue that knows of more was told so by somebody.
  package static let maximumAttempt = 1_000_000

  /// How often it has been handed out, this time included: from 1 to `maximumAttempt`. A release takes it back; a crash does not.
  package let attempt: Int
  /// How the queue knows this delivery, and not another of the same message.
  package let receipt: String
  /// When this process had it: its thirty seconds begin then.
  package let arrival: ContinuousClock.Instant

  package init(
    message: Message, attempt: Int, receipt: String, arrival: ContinuousClock.Instant = .now
  ) {
    self.arrival = arrival
    self.message = message
    self.attempt = min(max(1, attempt), Self.maximumAttempt)
    self.receipt = receipt
  }

  /// Whether it is the same one of the same message: when it came makes no other of it.
  package static func == (one: Delivery, other: Delivery) -> Bool {
    one.message == other.message && one.attempt == other.attempt && one.receipt == other.receipt
  }
}

/// A message on its way into a queue. It is made once: a try that follows a failure passes over what is there already.
package final class Publication: Sendable {
  package let message: Message
  package let target: any Queue
  /// Whether its queue has confirmed it.
  let isDurable = Atomic(false)
  /// Whether its queue has not taken it, when it was tried last.
  let hasFailed = Atomic(false)

  package init(_ message: Message, into target: any Queue) {
    self.message = message
    self.target = target
  }

  /// Whether it was this one of which a settlement has just failed, and not another or the source. Told once.
  package func takeFailure() -> Bool { hasFailed.exchange(false, ordering: .relaxed) }
}
