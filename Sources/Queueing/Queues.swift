internal import Synchronization

/// How queues are opened, and what those at one place share, such as a connection. Queues of different `Queues`
/// share nothing.
package final class Queues: Sendable {
  /// How long Redis waits for signs of life of other processes.
  package let leaseDuration: Duration
  /// Certificate authorities, PEM, that are trusted beside the system's.
  package let certificateFile: String?
  /// Told what a broker announces: that it takes nothing now, and why.
  package let tell: @Sendable (String) -> Void
  /// Told once of each database file that others may read or replace.
  let warn: @Sendable (String) -> Void
  private let stores = Mutex<[AnyHashable: any Sendable]>([:])

  package init(
    leaseDuration: Duration = QueueLease.duration, certificateFile: String? = nil,
    tell: @escaping @Sendable (String) -> Void = { _ in },
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.leaseDuration = leaseDuration
    self.certificateFile = certificateFile
    self.tell = tell
    self.warn = warn
  }

  /// What all queues at one place share.
  /// - Parameters:
  ///   - place: looked at again after `make`; nil if there is nothing yet.
  ///   - make: called for the first of these queues.
  package func store<Place: Hashable & Sendable, Store: Sendable>(
    at place: @autoclosure () -> Place?, make: () throws(QueueError) -> Store
  ) throws(QueueError) -> Store {
    try stores.withLock { (stores) throws(QueueError) in
      if let place = place(), let store = stores[place] as? Store { return store }
      let store = try make()
      if let place = place() { stores[place] = store }
      return store
    }
  }
}

/// Leases in brokers that notice neither the end of a process nor that of its connection, like Redis.
package enum QueueLease {
  /// How long the others wait for a sign of life before they take over the messages of a process. A new worker
  /// has to wait this long, because it cannot know when the last sign came: with what starting takes, it stays
  /// below the 10 s that are promised.
  package static let duration = Duration.seconds(8)
  /// Signs of life that may fail to come, one after the other: with 1 s between two, neither a slow disk of the
  /// broker nor a pause of the machine costs a lease.
  package static let missingSigns = 8
}
