import BuiltInQueueing
import Queueing
import TestSupport
import Testing

/// A limit for what has to happen: longer than anything takes here.
let longEnough = Duration.seconds(30)
/// A wait for what must not happen: long enough to see it, because it would happen at once.
let aMoment = Duration.milliseconds(120)

/// The payload `{"n":number}`, with an id that can be compared.
func message(_ number: Int) -> Message {
  Message(id: "m\(number)", body: Array(#"{"n":\#(number)}"#.utf8), headers: [Header("n", "\(number)")])
}

extension Broker {
  /// A queue as a new consumer sees it.
  /// - Parameter lease: how long this consumer waits in Redis for signs of life of others.
  func open(_ queue: String, lease: Duration = .seconds(2)) throws -> any Queue {
    try open(queue, in: Queues(leaseDuration: lease))
  }

  /// The same, together with other queues of the consumer.
  func open(_ queue: String, in queues: Queues) throws(QueueError) -> any Queue {
    try (QueueKind.builtIn + [.memory]).url(url(queue), defaultQueue: queue)
      .open(in: queues, for: .taking, createsFile: true)
  }

  /// A queue whose consumer looks stopped to others after `loseSight`.
  func openUnheard(_ queue: String) throws -> any Queue { try open(queue, lease: .seconds(800)) }

  /// In Redis, the next sign of life comes too late. In SQLite, the file with the lock is removed.
  func loseSight() { if let broker = self as? SQLiteBroker { Files.remove("\(broker.file)-lock") } }

  /// Receives the next message with a consumer that dies immediately.
  func dieWithNext(of queue: String) async throws -> Delivery { try await open(queue).next() }
}

extension Sink {
  func publish(_ numbers: some Sequence<Int>) async throws(QueueError) {
    try await publish(numbers.map { message($0) })
  }
}

extension Source {
  /// The ids of the messages that can be received, in order. If RabbitMQ is busy, it hands them out one by one.
  /// - Parameter duration: how long to wait for the first one.
  func ids(_ limit: Int = 10_000, waitingUpTo duration: Duration = .zero) async throws -> [String] {
    var ids = try await receive(limit, waitingUpTo: duration)?.map(\.message.id) ?? []
    while !ids.isEmpty, ids.count < limit,
      let more = try await receive(limit - ids.count, waitingUpTo: .zero), !more.isEmpty
    {
      ids += more.map(\.message.id)
    }
    return ids
  }

  /// The next `count` messages, which are in the queue.
  func take(_ count: Int) async throws -> [Delivery] {
    var taken: [Delivery] = []
    let isComplete = try await eventually {
      taken += try await receive(count - taken.count, waitingUpTo: .zero) ?? []
      return taken.count == count
    }
    guard isComplete else { throw NothingCame() }
    return taken
  }

  /// The ids of all messages in the queue, in order, on lease or not.
  func contents() async throws -> [String] { try await browse(1_000_000).map(\.id) }

  /// The next delivery, after a wait if necessary.
  func next() async throws -> Delivery {
    guard let delivery = try await receive(1, waitingUpTo: longEnough)?.first else { throw NothingCame() }
    return delivery
  }
}

/// An expected message did not come.
struct NothingCame: Error {}

/// The error that `body` throws; nil if it throws none.
func failure<Value>(of body: () async throws(QueueError) -> Value) async -> QueueError? {
  do throws(QueueError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

/// Repeats `body` until the broker can be reached again.
/// - Returns: the error of the last try; nil if it succeeded.
func untilReachable<Value>(_ body: () async throws(QueueError) -> Value) async throws -> QueueError? {
  for _ in 0..<600 {
    let failure = await failure(of: body)
    guard case .unavailable = failure else { return failure }
    try await Task.sleep(for: .milliseconds(100))
  }
  Issue.record("the broker has not come back")
  return nil
}

extension QueueError {
  /// For a URL that is invalid: how it is shown, and what would be right.
  var advice: [String]? {
    guard case .urlInvalid(let shown, _, let right) = self else { return nil }
    return [shown, right]
  }
}
