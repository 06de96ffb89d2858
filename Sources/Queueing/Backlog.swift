/// How many messages a queue holds.
package struct Backlog: Equatable, Sendable {
  /// Messages that have not been handed out. In SQLite this includes those that were released or whose lease
  /// is over; in Redis it does not, see `onLease`.
  package let waiting: Int
  /// Messages that are being worked on; nil where the broker does not tell. In Redis these are all that
  /// were handed out and not settled: a released or overdue message counts here until it is handed out again,
  /// because counting by idle time would mean walking through all of them.
  package let onLease: Int?
  /// How long ago the oldest of all of these was put into the queue; nil where the broker does not tell.
  package let oldestAge: Duration?

  package init(waiting: Int, onLease: Int? = nil, oldestAge: Duration? = nil) {
    self.waiting = waiting
    self.onLease = onLease
    self.oldestAge = oldestAge
  }
}
