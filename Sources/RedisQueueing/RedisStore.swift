internal import Dispatch
internal import Queueing
internal import Supporting
internal import Synchronization

/// A server with its queues. A thread of its own uses the connection. Commands that come while replies are awaited go out
/// together then: 64 results take not much longer than one. The next command replaces a broken connection.
final class RedisStore: Sendable {
  /// How long Redis may neither send nor take a byte. Leaves time for a sign of life on a new connection.
  static let replyTimeout = Duration.seconds(4)

  /// Commands that are sent one behind the other.
  struct Request: Sendable {
    let commands: [RedisCommand]
    /// Gets the reply to each before any later request is made.
    var note: @Sendable (Result<[RedisReply], QueueError>) -> Void = { _ in }
  }

  private typealias Answer = CheckedContinuation<Result<[RedisReply], QueueError>, Never>
  private typealias Job = (request: @Sendable () -> Request, answer: Answer)

  let server: RedisServer
  private let certificateFile: String?
  private let replyTimeout: Duration
  private let connection: Mutex<RedisConnection?>
  private let jobs = Coalescer<Job>(on: DispatchQueue(label: "push-enricher.redis"))

  /// Connects. Blocks for at most 5 s, and then `replyTimeout` for each reply.
  /// - Parameter certificateFile: as that of `Queues`.
  init(
    _ server: RedisServer, certificateFile: String?, replyTimeout: Duration = RedisStore.replyTimeout
  ) throws(QueueError) {
    (self.server, self.certificateFile, self.replyTimeout) = (server, certificateFile, replyTimeout)
    connection = Mutex(try .open(server, certificateFile: certificateFile, replyTimeout: replyTimeout))
  }

  /// - Parameter request: called in the order in which requests are sent, and not at all without a connection.
  /// - Returns: the reply to each command; some may be errors.
  /// - Throws: if the connection breaks. The commands may have been carried out.
  func ask(_ request: @escaping @Sendable () -> Request) async throws(QueueError) -> [RedisReply] {
    let result = await withCheckedContinuation { answer in
      jobs.submit((request, answer)) { self.perform($0) }
    }
    return try result.get()
  }

  private func perform(_ jobs: [Job]) {
    var requests: [Request] = []
    do throws(QueueError) {
      var replies = try askBlocking {
        requests = jobs.map { $0.request() }
        return requests.flatMap(\.commands)
      }[...]
      for (job, request) in zip(jobs, requests) {
        let own = Result<_, QueueError>.success(Array(replies.prefix(request.commands.count)))
        replies = replies.dropFirst(request.commands.count)
        request.note(own)
        job.answer.resume(returning: own)
      }
    } catch {
      for request in requests { request.note(.failure(error)) }
      for job in jobs { job.answer.resume(returning: .failure(error)) }
    }
  }

  /// The same as `ask`, blocking.
  func askBlocking(_ commands: () -> [RedisCommand]) throws(QueueError) -> [RedisReply] {
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
