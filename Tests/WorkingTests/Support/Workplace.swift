import BuiltInQueueing
import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Queues, a store, a server for the media, and the program that works on them.
struct Workplace: Sendable {
  let folder: TemporaryDirectory
  let server: HostileServer
  let broker: any Broker

  var store: String { folder.path(of: "store") }

  func url(_ queue: String) -> String { broker.url(queue) }

  /// The options for dead letters, the store and access to the server. Each message has its own
  /// download, so the downloads show how the queue is worked on.
  var options: [String] {
    [
      "--dead-letters", url("dead-letters"), "--store", store, "--cache", "0", "--allow-http",
      "--allow-network", "127.0.0.0/8", "--allow-port", "\(server.port)", "--allow-port", "80",
    ]
  }

  func work(
    _ more: [String], from: String? = nil, to: String? = nil, input: [UInt8] = [],
    environment: [String: String] = [:], limit: Duration = .seconds(120)
  ) async throws -> Run {
    let queues = ["--from", from ?? url("incoming"), "--to", to ?? url("enriched")]
    return try await PushEnricher.run(
      ["work"] + queues + options + more, input: input,
      environment: ["PUSH_ENRICHER_LEASE": "1s"].merging(environment) { $1 }, limit: limit)
  }

  /// Runs a worker, and samples its private memory every few milliseconds.
  func sampledWork(_ more: [String]) async throws -> Run {
    try await PushEnricher.runSampled(
      ["work", "--from", url("incoming"), "--to", url("enriched")] + options + more, limit: .seconds(240))
  }

  /// Runs a worker, and `body` as soon as the process exists.
  func work(
    _ more: [String], environment: [String: String] = [:], limit: Duration = .seconds(300),
    meanwhile body: @Sendable (RunningWorker) async throws -> Void
  ) async throws -> Run {
    try await run(
      ["work", "--from", url("incoming"), "--to", url("enriched")] + options + more,
      environment: environment, limit: limit, meanwhile: body)
  }

  /// The same for another command.
  func run(
    _ arguments: [String], environment: [String: String] = [:], limit: Duration = .seconds(300),
    meanwhile body: @Sendable (RunningWorker) async throws -> Void
  ) async throws -> Run {
    let file = folder.path(of: "worker-\(UInt64.random(in: 0...UInt64.max))")
    async let run = Command("sh").run(
      ["-c", #"echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@" 2>"$0.log""#, file, PushEnricher.path]
        + arguments,
      environment: ["PUSH_ENRICHER_LEASE": "1s"].merging(environment) { $1 }, limit: limit)
    try #require(await eventually { Files.exists(file) })
    let text = String(decoding: try Files.read(file).dropLast(), as: UTF8.self)
    let worker = RunningWorker(process: try #require(pid_t(text)), logFile: "\(file).log")
    try await body(worker)
    var result = try await run
    result.standardError = worker.log
    return result
  }

  func publish(_ errands: some Sequence<Errand>, into queue: String = "incoming") async throws {
    try await self.queue(queue).publish(errands.map(\.message))
  }

  func queue(_ name: String) throws(QueueError) -> any Queue {
    try Queues().open(url(name), defaultQueue: name)
  }

  /// All messages in a queue, on lease or not.
  func contents(_ name: String) async throws -> [Message] { try await queue(name).browse(1_000_000) }

  /// Whether a queue is empty, or will be in a moment: RabbitMQ removes acknowledged messages a little later.
  func isEmpty(_ name: String) async throws -> Bool {
    try await eventually { try await contents(name).isEmpty }
  }

  /// All messages that a new worker would get. They stay on lease.
  func takeAll(of name: String) async throws -> [Delivery] {
    let queue = try queue(name)
    var deliveries: [Delivery] = []
    while let more = try await queue.receive(1_000, waitingUpTo: .zero), !more.isEmpty { deliveries += more }
    return deliveries
  }

  /// Runs workers until nothing is left and all these errands have results. If a broker notices the
  /// death of a worker late, its queue may look empty before that.
  func finish(_ errands: [Errand], _ more: [String] = []) async throws {
    for _ in 0..<60 {
      let run = try await work(["--until-empty"] + more)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      if try await hasResults(of: errands) { return }
    }
  }

  private func hasResults(of errands: [Errand]) async throws -> Bool {
    try await Set(errands.map(\.message.id)).isSubset(of: contents("enriched").map(\.id))
  }

  /// Waits until all these errands have results, for a minute at most.
  func wait(for errands: [Errand]) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !hasResults(of: errands), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  /// Waits until a queue has this many messages, for a minute at most.
  func wait(for count: Int, in name: String) async throws {
    for _ in 0..<1_200 {
      if try await contents(name).count >= count { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(name) has fewer than \(count) messages after a minute")
  }
}

/// A worker that is running.
struct RunningWorker: Sendable {
  let process: pid_t
  fileprivate let logFile: String

  /// Its stderr so far.
  var log: String { String(decoding: (try? Files.read(logFile)) ?? [], as: UTF8.self) }

  /// The number of bytes in its stderr so far.
  var logLength: Int { (try? Files.size(of: logFile)) ?? 0 }

  /// Waits until it takes messages again after an outage. Before that, SIGTERM may find it between two attempts to
  /// connect, and it does not wait for the next one.
  func takesAgain() async -> Bool {
    await eventually {
      let lines = log.split(separator: "\n")
      guard let last = lines.lastIndex(where: { $0.contains("nothing can be taken from the queue") })
      else { return true }
      return lines[last...].contains { $0.contains("messages can be taken from the queue again") }
    }
  }

  /// Waits until it logs something more, which can only be an outage while its broker is away.
  func hasSpokenAgain() async -> Bool {
    let length = logLength
    return await eventually { logLength > length }
  }
}

func withWorkplace(_ kind: BrokerKind, _ body: (Workplace) async throws -> Void) async throws {
  try await kind.withBroker { try await withWorkplace($0, body) }
}

/// Runs `body` with a broker that may be stopped.
func withWorkplace(
  mortal kind: BrokerKind, _ body: (Workplace, any MortalBroker) async throws -> Void
) async throws {
  try await kind.withMortalBroker { broker in
    try await withWorkplace(broker) { try await body($0, broker) }
  }
}

private func withWorkplace(_ broker: any Broker, _ body: (Workplace) async throws -> Void) async throws {
  try await withHostileServer { server in
    try await withTemporaryDirectory { folder in
      #expect(unsafe mkdir(folder.path(of: "store"), 0o755) == 0)
      try await body(Workplace(folder: folder, server: server, broker: broker))
    }
  }
}

/// Runs `body` for one broker of each product, all at once. For tests that mostly wait; they need
/// the trait `namesBrokers`.
func withEachProduct(_ body: @escaping @Sendable (BrokerKind) async throws -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for kind in BrokerKind.products {
      group.addTask {
        await TestedBroker.$kind.withValue(kind) {
          do { try await body(kind) } catch { Issue.record(error) }
        }
      }
    }
  }
}

private enum TestedBroker {
  @TaskLocal static var kind: BrokerKind?
}

extension Trait where Self == IssueHandlingTrait {
  /// Adds the broker of `withEachProduct` to each failure, because its runs are not test cases.
  static var namesBrokers: Self {
    .compactMapIssues { issue in
      guard let kind = TestedBroker.kind else { return issue }
      var issue = issue
      issue.comments.append("with \(kind)")
      return issue
    }
  }
}

/// Expects a correct result of each errand: exactly one if the broker settles in one step,
/// otherwise one or more, because the work of a worker that dies between publishing and
/// acknowledging is done again.
func expectEach(of errands: [Errand], in results: [Message], of kind: BrokerKind) {
  var seen: Set<String> = []
  let errandsByID = Dictionary(errands.map { ($0.message.id, $0) }) { first, _ in first }
  for result in results where !kind.settlesAtOnce {
    if let errand = errandsByID[result.id] { expect(result, of: errand) }
  }
  expectEach(of: errands, once: kind.settlesAtOnce ? results : results.filter { seen.insert($0.id).inserted })
}

/// Expects exactly one correct result of each errand.
func expectEach(of errands: [Errand], once results: [Message]) {
  let byID = Dictionary(results.map { ($0.id, $0) }) { first, _ in first }
  #expect(results.count == errands.count)
  #expect(byID.count == errands.count)
  for errand in errands {
    guard let result = byID[errand.message.id] else {
      Issue.record("payload \(errand.message.id) has no result")
      continue
    }
    expect(result, of: errand)
  }
}
