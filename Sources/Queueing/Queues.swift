internal import Synchronization

/// How queues are opened, and what those at one place share, such as a connection.
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

  /// The store that all queues at one place share.
  /// - Parameter place: nil if nothing is there yet; asked again after `make`.
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
  /// How long others wait for a sign of life before they take messages over, which is to happen within 10 s.
  package static let duration = Duration.seconds(8)
  /// Signs of life, one per second, that may fail to come in a row: a slow disk or a pause costs no lease.
  package static let missingSigns = 8
}
