import BuiltInQueueing
import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Queues and a store, a server for the media, and the program that works on them.
struct Workplace: Sendable {
  let folder: TemporaryDirectory
  let server: HostileServer
  let broker: any Broker

  var store: String { folder.path(of: "store") }

  func url(_ queue: String) -> String { broker.url(queue) }

  /// Where messages come from, with the store and the leave to reach the server. Each message has a download
  /// of its own: how queues are worked on shows by them.
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

  /// Runs a worker with its private memory looked at every few milliseconds.
  func sampledWork(_ more: [String]) async throws -> Run {
    try await PushEnricher.runSampled(
      ["work", "--from", url("incoming"), "--to", url("enriched")] + options + more, limit: .seconds(240))
  }

  /// Runs a worker, and `body` as soon as there is a process.
  func work(
    _ more: [String], environment: [String: String] = [:], limit: Duration = .seconds(300),
    meanwhile body: @Sendable (RunningWorker) async throws -> Void
  ) async throws -> Run {
    let file = folder.path(of: "worker-\(UInt64.random(in: 0...UInt64.max))")
    let words =
      [PushEnricher.path, "work", "--from", url("incoming"), "--to", url("enriched")] + options + more
    async let run = Command("sh").run(
      ["-c", #"echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@" 2>"$0.log""#, file] + words,
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

  /// All that lies in a queue, on lease or not.
  func contents(_ name: String) async throws -> [Message] { try await queue(name).browse(1_000_000) }

  /// All that a worker which comes now is handed out, and keeps.
  func takeAll(of name: String) async throws -> [Delivery] {
    let queue = try queue(name)
    var deliveries: [Delivery] = []
    while let more = try await queue.receive(1_000, waitingUpTo: .zero), !more.isEmpty { deliveries += more }
    return deliveries
  }

  /// Works until nothing is left and there are results of all these errands. A broker that notices a death a
  /// moment later may have its queue empty before.
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

  /// Waits until there are results of all these errands, for a minute at most.
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
    Issue.record("\(name) has not come to \(count) messages")
  }
}

/// A worker that has not ended yet.
struct RunningWorker: Sendable {
  let process: pid_t
  fileprivate let logFile: String

  /// What it has written to stderr so far.
  var log: String { String(decoding: (try? Files.read(logFile)) ?? [], as: UTF8.self) }

  /// Bytes that it has written to stderr so far.
  var logLength: Int { (try? Files.size(of: logFile)) ?? 0 }

  /// Waits until it says something more: of a broker that is away it can only be that it is.
  func hasSpokenAgain() async -> Bool {
    let length = logLength
    return await eventually { logLength > length }
  }
}

func withWorkplace(_ kind: BrokerKind, _ body: (Workplace) async throws -> Void) async throws {
  try await kind.withBroker { try await withWorkplace($0, body) }
}

/// With a broker that may be taken away.
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

/// Runs `body` for one broker of each product, all at once. For tests that mostly wait, with the trait
/// `namesBrokers`.
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
  /// Has each failure say which broker of `withEachProduct` it is about: they have no test cases of their own.
  static var namesBrokers: Self {
    .compactMapIssues { issue in
      guard let kind = TestedBroker.kind else { return issue }
      var issue = issue
      issue.comments.append("with \(kind)")
      return issue
    }
  }
}

/// Expects each errand among the results, as it should be: once where the broker settles at once, once or
/// more often elsewhere, because a worker that dies between publishing and acknowledging has its work done
/// again.
func expectEach(of errands: [Errand], in results: [Message], of kind: BrokerKind) {
  var seen: Set<String> = []
  let errandsByID = Dictionary(errands.map { ($0.message.id, $0) }) { first, _ in first }
  for result in results where !kind.settlesAtOnce {
    if let errand = errandsByID[result.id] { expect(result, of: errand) }
  }
  expectEach(of: errands, once: kind.settlesAtOnce ? results : results.filter { seen.insert($0.id).inserted })
}

/// Expects each errand exactly once among the results, as it should be.
func expectEach(of errands: [Errand], once results: [Message]) {
  let byID = Dictionary(results.map { ($0.id, $0) }) { first, _ in first }
  #expect(results.count == errands.count)
  #expect(byID.count == errands.count)
  for errand in errands {
    guard let result = byID[errand.message.id] else {
      Issue.record("\(errand.message.id) is lost")
      continue
    }
    expect(result, of: errand)
  }
}
