/// How many messages a queue holds.
package struct Backlog: Equatable, Sendable {
  /// Messages that have not been handed out, and those that were released.
  package let waiting: Int
  /// Messages that are being worked on; nil if the broker does not tell. Those of a process that has ended count
  /// until somebody asks for messages.
  package let onLease: Int?
  /// How long ago the oldest of all of these was put into the queue; nil where the broker does not tell.
  package let oldestAge: Duration?

  package init(waiting: Int, onLease: Int? = nil, oldestAge: Duration? = nil) {
    self.waiting = waiting
    self.onLease = onLease
    self.oldestAge = oldestAge
  }
}
