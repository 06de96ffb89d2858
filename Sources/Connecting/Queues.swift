internal import Glibc
package import Queueing
internal import Supporting
internal import Synchronization

#if RabbitMQ
  internal import RabbitMQQueueing
#endif
#if Redis
  internal import RedisQueueing
#endif

/// Opens queues by their URLs. Those in one file, or at one Redis, share a connection.
package final class Queues: Sendable {
  private let leaseDuration: Duration
  private let stores = Mutex<[FileIdentity: SQLiteStore]>([:])

  private let certificateFile: String?
  private let tell: @Sendable (String) -> Void
  private let warn: @Sendable (String) -> Void
  #if Redis
    private let redis = Mutex<[RedisServer: RedisStore]>([:])
  #endif

  /// - Parameters:
  ///   - leaseDuration: how long Redis waits for signs of life of other processes.
  ///   - certificateFile: certificate authorities, PEM, that are trusted beside the system's.
  ///   - tell: told what a broker announces: that it takes nothing now, and why.
  ///   - warn: told once of each database file that others may read or replace.
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

  /// Opens a queue. Blocks on the disk and the network: called at the start.
  /// - Parameters:
  ///   - use: Redis is asked whether the user may do it.
  ///   - createsFile: whether a missing database file is created. For a program that only takes from it, a
  ///     missing one is a mistake.
  /// - Throws: `QueueError.refused` for a queue that will never open, `.unavailable` for one that may later.
  package func open(
    _ url: QueueURL, for use: QueueUse = .taking, createsFile: Bool = true
  ) throws(QueueError) -> any Queue {
    switch url {
    case .sqlite(let path, let queue):
      if !createsFile, unsafe access(path, F_OK) != 0, errno == ENOENT {
        throw .unavailable(
          "there is no file \(path): check the name, or put something into the queue first")
      }
      return SQLiteQueue(store: try store(at: path), name: queue)
    case .lines:
      return LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO)
    #if Redis
      case .redis(let url): return try redisQueue(url, for: use)
    #endif
    #if RabbitMQ
      case .rabbitMQ(let url): return try RabbitMQQueue(url, certificateFile: certificateFile, tell: tell)
    #endif
    }
  }

  /// The same for a URL as a user writes it.
  /// - Parameter defaultQueue: the queue or stream, where `url` names none.
  /// - Throws: also `QueueError.urlInvalid`.
  package func open(_ url: String, defaultQueue: String) throws(QueueError) -> any Queue {
    try open(QueueURL(url, defaultQueue: defaultQueue))
  }

  private func store(at path: String) throws(QueueError) -> SQLiteStore {
    try stores.withLock { (stores) throws(QueueError) in
      if let identity = FileIdentity(of: path), let store = stores[identity] { return store }
      let store = try SQLiteStore(path: path)
      let warnings = [
        FileExposure.warning(on: SQLiteStore.files(of: path)), FileExposure.placeWarning(on: path),
      ]
      for warning in warnings.compactMap(\.self) { warn(warning) }
      if let identity = FileIdentity(of: path) { stores[identity] = store }
      return store
    }
  }

  #if Redis
    private func redisQueue(_ url: RedisURL, for use: QueueUse) throws(QueueError) -> RedisQueue {
      let store = try redis.withLock { (stores) throws(QueueError) in
        if let store = stores[url.server] { return store }
        let store = try RedisStore(url.server, certificateFile: certificateFile)
        stores[url.server] = store
        return store
      }
      return try RedisQueue(
        store: store, stream: url.stream, group: url.group, for: use, leaseDuration: leaseDuration)
    }
  #endif
}
