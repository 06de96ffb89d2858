internal import Dispatch
package import Queueing
internal import Supporting
internal import Synchronization

/// A server with its queues. A thread of its own uses the connection, so that no task blocks on the network.
///
/// Commands that come in while replies are awaited go out together then: 64 results take not much longer than
/// one. A broken connection is replaced with the next command.
package final class RedisStore: Sendable {
  /// Some commands that are sent one behind the other.
  private struct Job: Sendable {
    /// Called in the order in which jobs are sent, and not at all where there is no connection.
    let commands: @Sendable () -> [RedisCommand]
    /// Called before any later job's `commands`.
    let complete: @Sendable (Result<[RedisReply], QueueError>) -> Void
  }

  package let server: RedisServer
  private let certificateFile: String?
  private let replyTimeout: Duration
  private let connection: Mutex<RedisConnection?>
  private let thread: DispatchQueue
  private let jobs: Coalescer<Job>

  /// Connects. Blocks for at most 5 s, and `RedisConnection.replyTimeout` more for a server that accepts the
  /// connection and does not reply.
  /// - Parameter certificateFile: certificate authorities, PEM, that are trusted beside the system's.
  package convenience init(_ server: RedisServer, certificateFile: String?) throws(QueueError) {
    try self.init(server, certificateFile: certificateFile, replyTimeout: RedisConnection.replyTimeout)
  }

  /// - Parameter replyTimeout: how long to wait for the next byte of a reply.
  init(_ server: RedisServer, certificateFile: String?, replyTimeout: Duration) throws(QueueError) {
    self.server = server
    self.certificateFile = certificateFile
    self.replyTimeout = replyTimeout
    thread = DispatchQueue(label: "push-enricher.redis")
    jobs = Coalescer(on: thread)
    connection = Mutex(
      try RedisConnection.open(server, certificateFile: certificateFile, replyTimeout: replyTimeout))
  }

  /// - Parameters:
  ///   - commands: called when they are sent, and not at all where there is no connection.
  ///   - note: gets the replies before any later commands are made.
  /// - Returns: the reply to each command; some may be errors.
  /// - Throws: `QueueError.unavailable` without a connection, `.refused` for a server that does not let us
  ///   in. When the connection broke, the commands may have been carried out.
  func ask(
    noting note: @escaping @Sendable (Result<[RedisReply], QueueError>) -> Void = { _ in },
    _ commands: @escaping @Sendable () -> [RedisCommand]
  ) async throws(QueueError) -> [RedisReply] {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<[RedisReply], QueueError>, Never>) in
      submit(commands) { result in
        note(result)
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// The same for those who do not wait.
  func submit(
    _ commands: @escaping @Sendable () -> [RedisCommand],
    then complete: @escaping @Sendable (Result<[RedisReply], QueueError>) -> Void
  ) {
    jobs.submit(Job(commands: commands, complete: complete)) { self.perform($0) }
  }

  /// Calls `body` after `duration`, on the thread of the connection.
  func schedule(after duration: Duration, _ body: @escaping @Sendable () -> Void) {
    thread.asyncAfter(deadline: .now() + .milliseconds(duration.milliseconds), execute: body)
  }

  /// The same, but blocks the calling thread.
  func askBlocking(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    try roundTrip { commands }
  }

  private func perform(_ jobs: [Job]) {
    var commands: [[RedisCommand]] = []
    do throws(QueueError) {
      var replies = try roundTrip {
        commands = jobs.map { $0.commands() }
        return commands.flatMap { $0 }
      }[...]
      for (job, commands) in zip(jobs, commands) {
        job.complete(.success(Array(replies.prefix(commands.count))))
        replies = replies.dropFirst(commands.count)
      }
    } catch {
      for job in jobs { job.complete(.failure(error)) }
    }
  }

  private func roundTrip(_ commands: () -> [RedisCommand]) throws(QueueError) -> [RedisReply] {
    try connection.withLock { (connection) throws(QueueError) in
      var open = try living(connection.take())
      let replies = try open.ask(commands())
      // A primary that became a replica: its name may lead to the new primary.
      let isReplica = replies.contains { $0.error?.hasPrefix("READONLY") == true }
      connection = isReplica ? nil : consume open
      return replies
    }
  }

  /// `connection`, or a new one in place of a broken one.
  private func living(_ connection: consuming RedisConnection?) throws(QueueError) -> RedisConnection {
    if var connection = connection.take(), connection.isAlive() { return connection }
    return try .open(server, certificateFile: certificateFile, replyTimeout: replyTimeout)
  }
}
