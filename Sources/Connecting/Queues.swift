internal import Glibc
package import Queueing
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
  #if Redis
    private let redis = Mutex<[RedisServer: RedisStore]>([:])
  #endif

  /// - Parameters:
  ///   - certificateFile: certificate authorities, PEM, that are trusted beside the system's.
  ///   - tell: told what a broker says by itself: that it takes nothing for now, and why.
  package init(
    leaseDuration: Duration = QueueLease.duration, certificateFile: String? = nil,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.leaseDuration = leaseDuration
    self.certificateFile = certificateFile
    self.tell = tell
  }

  /// Opens a queue, and makes it where it is missing and needs no server. Blocks on the disk and the network: called at the start.
  /// - Parameters:
  ///   - defaultQueue: the queue of a file, where `url` names none.
  ///   - makesFile: whether a file that is missing is made; for whoever only takes from it, that it is missing is a mistake.
  /// - Throws: `QueueError.urlInvalid` for what names no queue, `.refused` for one that will never open, `.unavailable` for one that may later.
  package func open(
    _ url: String, defaultQueue: String, makesFile: Bool = true
  ) throws(QueueError) -> any Queue {
    switch try QueueURL(url, defaultQueue: defaultQueue) {
    case .sqlite(let path, let queue):
      if !makesFile, unsafe access(path, F_OK) != 0, errno == ENOENT {
        throw .unavailable("there is no file \(path): check the name, or put something into the queue first")
      }
      return SQLiteQueue(store: try store(at: path), name: queue, leaseDuration: leaseDuration)
    case .lines:
      return LineQueue(input: STDIN_FILENO, output: STDOUT_FILENO)
    case .redis(let text):
      #if Redis
        return try redisQueue(RedisURL(text, defaultStream: defaultQueue))
      #else
        throw .refused(
          "this build has no Redis: use a queue in a file, like sqlite:push-enricher.db?queue=\(defaultQueue)"
        )
      #endif
    case .rabbitMQ(let text):
      #if RabbitMQ
        return try RabbitMQQueue(
          RabbitMQURL(text, defaultQueue: defaultQueue), certificateFile: certificateFile, tell: tell)
      #else
        throw .refused(
          "this build has no RabbitMQ: use a queue in a file, like sqlite:push-enricher.db?queue=\(defaultQueue)"
        )
      #endif
    }
  }

  private func store(at path: String) throws(QueueError) -> SQLiteStore {
    try stores.withLock { (stores) throws(QueueError) in
      if let identity = FileIdentity(of: path), let store = stores[identity] { return store }
      let store = try SQLiteStore(path: path)
      if let identity = FileIdentity(of: path) { stores[identity] = store }
      return store
    }
  }

  #if Redis
    private func redisQueue(_ url: RedisURL) throws(QueueError) -> RedisQueue {
      let store = try redis.withLock { (stores) throws(QueueError) in
        if let store = stores[url.server] { return store }
        let store = try RedisStore(url.server, certificateFile: certificateFile)
        stores[url.server] = store
        return store
      }
      return try RedisQueue(
        store: store, stream: url.stream, group: url.group, leaseDuration: leaseDuration)
    }
  #endif
}
