internal import Dispatch
internal import Queueing
internal import Supporting
internal import Synchronization

/// A server and its queues. The connection has its own thread. Commands that arrive while replies
/// are awaited are sent together afterwards: 64 results take little longer than one. If the
/// connection breaks, the next command opens a new one.
final class RedisStore: Sendable {
  /// How long Redis may take to send or accept a byte. Short enough to leave time for a sign of
  /// life on a new connection.
  static let replyTimeout = Duration.seconds(4)

  /// Commands that are sent one after another.
  struct Request: Sendable {
    var commands: [RedisCommand] = []
    /// Sent after all commands of the batch, in a script with other settlements. Its reply is the last one.
    var settlement: RedisSettlement?
    /// Called with the reply to each command, before any later request is made.
    var note: @Sendable (Result<[RedisReply], QueueError>) -> Void = { _ in }
  }

  private typealias Answer = CheckedContinuation<Result<[RedisReply], QueueError>, Never>
  private typealias Job = (request: @Sendable () -> Request, answer: Answer)

  let server: RedisServer
  private let certificateFile: String?
  private let replyTimeout: Duration
  private let connection: Mutex<RedisConnection?>
  private let jobs = Coalescer<Job>(on: DispatchQueue(label: "push-enricher.redis"))

  /// Connects. Blocks for up to 5 s, and then for up to `replyTimeout` per reply.
  /// - Parameter certificateFile: see `Queues.certificateFile`.
  init(
    _ server: RedisServer, certificateFile: String?, replyTimeout: Duration = RedisStore.replyTimeout
  ) throws(QueueError) {
    (self.server, self.certificateFile, self.replyTimeout) = (server, certificateFile, replyTimeout)
    connection = Mutex(
      try .open(server, trusting: RedisTrust(adding: certificateFile), replyTimeout: replyTimeout))
  }

  /// - Parameter request: called in the order of sending, and never without a connection.
  /// - Returns: the reply to each command. Some may be errors.
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
      var settlements: [RedisSettlement] = []
      var scripts: [[Int]] = []
      var replies = try askBlocking {
        requests = jobs.map { $0.request() }
        settlements = requests.compactMap(\.settlement)
        scripts = RedisSettlement.scripts(for: settlements)
        return requests.flatMap(\.commands)
          + scripts.map { script in .settle(script.map { settlements[$0] }) }
      }[...]
      let results = replies.suffix(scripts.count)
      var answers = answers(to: settlements, in: scripts, from: results)[...]
      for (job, request) in zip(jobs, requests) {
        let answer = request.settlement == nil ? .success([]) : answers.removeFirst()
        let own = answer.map { [replies] in Array(replies.prefix(request.commands.count)) + $0 }
        replies = replies.dropFirst(request.commands.count)
        request.note(own)
        job.answer.resume(returning: own)
      }
    } catch {
      for request in requests { request.note(.failure(error)) }
      for job in jobs { job.answer.resume(returning: .failure(error)) }
    }
  }

  /// The answer to each of `settlements`. Redis rejects a whole script if the user may not use one of its keys,
  /// so the settlements of such a script are then sent one by one.
  private func answers(
    to settlements: [RedisSettlement], in scripts: [[Int]], from replies: ArraySlice<RedisReply>
  ) -> [Result<[RedisReply], QueueError>] {
    var answers = settlements.map { _ in Result<[RedisReply], QueueError>.success([]) }
    for (script, reply) in zip(scripts, replies) {
      for (place, index) in script.enumerated() {
        answers[index] = .success([place < reply.elements.count ? reply.elements[place] : reply])
      }
    }
    let alone = zip(scripts, replies).filter { $0.count > 1 && $1.elements.isEmpty }.flatMap(\.0)
    guard !alone.isEmpty else { return answers }
    let again = Result { () throws(QueueError) in
      try askBlocking { alone.map { .settle([settlements[$0]]) } }
    }
    for (place, index) in alone.enumerated() {
      answers[index] = again.map { [$0[place].elements.first ?? $0[place]] }
    }
    return answers
  }

  /// The blocking form of `ask`.
  func askBlocking(_ commands: () -> [RedisCommand]) throws(QueueError) -> [RedisReply] {
    try connection.withLock { (connection) throws(QueueError) in
      var open: RedisConnection
      if var known = connection.take(), known.isAlive() {
        open = known
      } else {
        open = try .open(server, trusting: RedisTrust(adding: certificateFile), replyTimeout: replyTimeout)
      }
      let replies = try open.ask(commands())
      // The primary became a replica. Its name may lead to the new primary.
      let isReplica = replies.contains { $0.error?.hasPrefix("READONLY") == true }
      connection = isReplica ? nil : consume open
      return replies
    }
  }
}
