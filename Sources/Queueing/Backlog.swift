/// What there is to do in a queue.
package struct Backlog: Equatable, Sendable {
  /// Messages that nobody has.
  package let waiting: Int
  /// Messages that somebody works on, where the broker tells.
  package let onLease: Int?
  /// How long ago the oldest of all of these was put into the queue, where the broker tells.
  package let oldestAge: Duration?

  package init(waiting: Int, onLease: Int? = nil, oldestAge: Duration? = nil) {
    self.waiting = waiting
    self.onLease = onLease
    self.oldestAge = oldestAge
  }
}
