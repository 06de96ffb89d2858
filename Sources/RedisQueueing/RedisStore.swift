internal import Dispatch
package import Queueing
internal import Supporting
internal import Synchronization

/// A server with its queues. A thread of its own uses the connection, so that no task blocks on the network. Commands
/// that come in while replies are awaited go out together then: 64 results take not much longer than one. A broken
/// connection is replaced with the next command.
package final class RedisStore: Sendable {
  /// How long Redis may neither send nor take a byte before the connection is given up. Shorter than
  /// `QueueLease.duration`: there is time for a sign of life on a new connection.
  package static let replyTimeout = Duration.seconds(4)

  /// Some commands that are sent one behind the other.
  struct Request: Sendable {
    let commands: [RedisCommand]
    /// Gets the reply to each before any later request is made.
    var note: @Sendable (Result<[RedisReply], QueueError>) -> Void = { _ in }
  }

  private struct Job: Sendable {
    let request: @Sendable () -> Request
    let continuation: CheckedContinuation<Result<[RedisReply], QueueError>, Never>
  }

  package let server: RedisServer
  private let certificateFile: String?
  private let replyTimeout: Duration
  private let connection: Mutex<RedisConnection?>
  private let thread: DispatchQueue
  private let jobs: Coalescer<Job>

  /// Connects. Blocks for at most 5 s, and then `replyTimeout` for each reply.
  /// - Parameters:
  ///   - certificateFile: certificate authorities, PEM, that are trusted beside the system's.
  ///   - replyTimeout: how long to wait for the next byte of a reply.
  package init(
    _ server: RedisServer, certificateFile: String?, replyTimeout: Duration = RedisStore.replyTimeout
  ) throws(QueueError) {
    self.server = server
    self.certificateFile = certificateFile
    self.replyTimeout = replyTimeout
    thread = DispatchQueue(label: "push-enricher.redis")
    jobs = Coalescer(on: thread)
    connection = Mutex(try .open(server, certificateFile: certificateFile, replyTimeout: replyTimeout))
  }

  /// - Parameter request: called in the order in which requests are sent, and not at all if there is no connection.
  /// - Returns: the reply to each command; some may be errors.
  /// - Throws: `QueueError.unavailable` without a connection, `.refused` for a server that does not let us in. If
  ///   the connection broke, the commands may have been carried out.
  func ask(_ request: @escaping @Sendable () -> Request) async throws(QueueError) -> [RedisReply] {
    let result = await withCheckedContinuation { continuation in
      jobs.submit(Job(request: request, continuation: continuation)) { self.perform($0) }
    }
    return try result.get()
  }

  /// The same for commands that are known before.
  func ask(_ commands: RedisCommand...) async throws(QueueError) -> [RedisReply] {
    try await ask { Request(commands: commands) }
  }

  /// The same, blocking.
  func askBlocking(_ commands: [RedisCommand]) throws(QueueError) -> [RedisReply] {
    try roundTrip { commands }
  }

  private func perform(_ jobs: [Job]) {
    var requests: [Request] = []
    do throws(QueueError) {
      var replies = try roundTrip {
        requests = jobs.map { $0.request() }
        return requests.flatMap(\.commands)
      }[...]
      for (job, request) in zip(jobs, requests) {
        let own = Result<_, QueueError>.success(Array(replies.prefix(request.commands.count)))
        replies = replies.dropFirst(request.commands.count)
        request.note(own)
        job.continuation.resume(returning: own)
      }
    } catch {
      for request in requests { request.note(.failure(error)) }
      for job in jobs { job.continuation.resume(returning: .failure(error)) }
    }
  }

  private func roundTrip(_ commands: () -> [RedisCommand]) throws(QueueError) -> [RedisReply] {
    try connection.withLock { (connection) throws(QueueError) in
      var open: RedisConnection
      if var known = connection.take(), known.isAlive() {
        open = known
      } else {
        open = try .open(server, certificateFile: certificateFile, replyTimeout: replyTimeout)
      }
      let replies = try open.ask(commands())
      // A primary that became a replica: its name may lead to the new primary.
      let isReplica = replies.contains { $0.error?.hasPrefix("READONLY") == true }
      connection = isReplica ? nil : consume open
      return replies
    }
  }
}
