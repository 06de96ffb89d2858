internal import Dispatch
package import Queueing
internal import Synchronization

/// A server with its queues: one connection, used by one thread of its own, so that no task blocks on the network.
///
/// What is asked for while answers are waited for goes out together then: 64 results take not much longer than one. A connection
/// that broke is made again with the next question.
package final class RedisStore: Sendable {
  /// Some commands that are sent one behind the other.
  private struct Job: Sendable {
    /// Called in the order in which jobs are sent.
    let commands: @Sendable () -> [RedisCommand]
    let answer: @Sendable (Result<[RedisReply], QueueError>) -> Void
  }

  package let server: RedisServer
  private let certificateFile: String?
  private let replyTimeout: Duration
  private let connection: Mutex<RedisConnection?>
  private let waiting = Mutex<[Job]>([])
  private let queue = DispatchQueue(label: "push-enricher.redis")

  /// Connects, which blocks for 5 s at most, or until a server that takes connections and says nothing has been given up.
  /// - Parameter certificateFile: certificate authorities, PEM, that are trusted beside the system's.
  package convenience init(_ server: RedisServer, certificateFile: String?) throws(QueueError) {
    try self.init(server, certificateFile: certificateFile, replyTimeout: RedisConnection.replyTimeout)
  }

  /// - Parameter replyTimeout: how long to wait for the next byte of an answer.
  init(_ server: RedisServer, certificateFile: String?, replyTimeout: Duration) throws(QueueError) {
    self.server = server
    self.certificateFile = certificateFile
    self.replyTimeout = replyTimeout
    connection = Mutex(
      try RedisConnection.open(server, certificateFile: certificateFile, replyTimeout: replyTimeout))
  }

  /// - Returns: the answer to each command, among them errors.
  /// - Throws: `QueueError.unavailable` without a connection, `.refused` for a server that does not want us. What has been done is
  ///   not known when the connection broke.
  func ask(_ commands: @escaping @Sendable () -> [RedisCommand]) async throws(QueueError) -> [RedisReply] {
    let result = await withCheckedContinuation { continuation in
      submit(Job(commands: commands, answer: { continuation.resume(returning: $0) }))
    }
    return try result.get()
  }

  /// The same, and waits for it as a thread does.
  func askBlocking(_ commands: RedisCommand...) throws(QueueError) -> [RedisReply] {
    try roundTrip(commands)
  }

  private func submit(_ job: Job) {
    let isFirst = waiting.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    if isFirst { queue.async { self.work() } }
  }

  private func work() {
    let jobs = waiting.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    let commands = jobs.map { $0.commands() }
    do throws(QueueError) {
      var replies = try roundTrip(commands.flatMap { $0 })[...]
      for (job, commands) in zip(jobs, commands) {
        job.answer(.success(Array(replies.prefix(commands.count))))
        replies = replies.dropFirst(commands.count)
      }
    } catch {
      for job in jobs { job.answer(.failure(error)) }
    }
  }

  private func roundTrip(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    try connection.withLock { (connection) throws(QueueError) in
      var current = connection.take()
      if current?.isAlive() != true {
        current = nil
        current = try RedisConnection.open(
          server, certificateFile: certificateFile, replyTimeout: replyTimeout)
      }
      guard var open = current.take() else { return [] }
      let replies = try open.ask(commands)
      // A primary that became a replica: its name may lead to the new primary.
      let isReplica = replies.contains { $0.error?.hasPrefix("READONLY") == true }
      connection = isReplica ? nil : consume open
      return replies
    }
  }
}
