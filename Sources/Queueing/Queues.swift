internal import Synchronization

/// Opens queues, and holds what queues in the same place share, such as a connection.
package final class Queues: Sendable {
  /// How long a Redis queue waits for a sign of life from another process.
  package let leaseDuration: Duration
  /// Whether a new consumer of a Redis queue first waits for the messages of ended processes, because they
  /// come before the others. It waits only as long as it takes to find out whether those processes are alive.
  package let keepsOrder: Bool
  /// How long APNs may refuse the credentials before a sink gives up.
  package let patience: Duration
  /// A PEM file of certificate authorities to trust in addition to the system's.
  package let certificateFile: String?
  /// Called with the reason when a broker announces that it accepts nothing now.
  package let tell: @Sendable (String) -> Void
  /// Called once for each database file that other users may read or replace.
  let warn: @Sendable (String) -> Void
  /// Nil if no door may be opened: only a worker has one.
  package let door: DoorSettings?
  private let stores = Mutex<[AnyHashable: any Sendable]>([:])

  package init(
    leaseDuration: Duration = QueueLease.duration, keepsOrder: Bool = false, patience: Duration = .zero,
    certificateFile: String? = nil,
    tell: @escaping @Sendable (String) -> Void = { _ in },
    warn: @escaping @Sendable (String) -> Void = { _ in }, door: DoorSettings? = nil
  ) {
    self.leaseDuration = leaseDuration
    self.keepsOrder = keepsOrder
    self.patience = patience
    self.certificateFile = certificateFile
    self.tell = tell
    self.warn = warn
    self.door = door
  }

  /// The store that all queues in one place share.
  /// - Parameter place: nil if nothing is there yet. Evaluated again after `make`.
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

/// Leases of brokers that do not notice when a process or its connection ends, like Redis.
package enum QueueLease {
  /// How long others wait for a sign of life before they take over. They must do so within 10 s.
  package static let duration = Duration.seconds(8)
  /// How many signs, one per second, may be missing in a row. Allows for a slow disk or a pause.
  package static let missingSigns = 8
}
