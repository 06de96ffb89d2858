package import Queueing

/// A push queue in a database file, which processes on one machine may share.
package typealias SQLitePushQueue = StoredPushQueue<SQLiteDeviceStore>

package struct SQLiteDeviceStore: DeviceStore {
  private let store: TableStore<PushTable>

  /// Opens or creates the file at `path`. Blocks on the disk.
  package init(path: String) throws(QueueError) { store = try TableStore(path: path) }

  package func update<Result: Sendable>(
    _ devices: [AppDevice], adding count: Int, _ body: @escaping @Sendable (Int, inout DeviceChange) -> Result
  ) async throws(QueueError) -> [Result] {
    var keys: [Int64] = []
    keys.reserveCapacity(devices.count)
    for device in devices {
      let digest = device.digest()
      guard !digest.isEmpty else { throw .unavailable("OpenSSL has no memory for a SHA-256") }
      keys.append(PushTable.key(of: digest))
    }
    return try await store.write { [keys] (table) throws(QueueError) in
      try table.update(devices, keys: keys, body)
    }
  }

  package func contents(of pushes: [PushState]) async throws(QueueError) -> [PushContent?] {
    try await store.write { (table) throws(QueueError) in try table.contents(of: pushes.map(\.number)) }
  }

  package func due(at now: Int64, limit: Int) async throws(QueueError) -> [AppDevice] {
    try await store.write { (table) throws(QueueError) in try table.due(at: now, limit: limit) }
  }

  package func ended(at now: Int64, limit: Int) async throws(QueueError) -> [AppDevice] {
    try await store.write { (table) throws(QueueError) in try table.ended(at: now, limit: limit) }
  }

  package func unseen(since time: Int64, limit: Int) async throws(QueueError) -> [AppDevice] {
    try await store.write { (table) throws(QueueError) in try table.unseen(since: time, limit: limit) }
  }

  package func surplus(over bytes: Int64, limit: Int) async throws(QueueError) -> [AppDevice: Set<Int64>] {
    try await store.write { (table) throws(QueueError) in try table.surplus(over: bytes, limit: limit) }
  }

  package func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics]
  {
    try await store.write { (table) throws(QueueError) in try table.statistics(of: app, days: days) }
  }

  package func forgetStatistics(before day: Int, limit: Int) async throws(QueueError) -> Bool {
    try await store.write { (table) throws(QueueError) in
      try table.forgetStatistics(before: day, limit: limit)
    }
  }
}
