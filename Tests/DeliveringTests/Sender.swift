import BuiltInQueueing
import Foundation
import Misbehaving
import Notifications
import Queueing
import Supporting
import TestSupport
import Testing

/// Runs `push-enricher send` with a push queue, in processes that are killed.
struct Sender {
  private let broker: any Broker
  private let source: any Queue
  private let pushQueue: String
  private let arguments: [String]
  /// Shorter waits than in real use, so that the test takes less time.
  private let environment = ["PUSH_ENRICHER_LEASE": "1s", "PUSH_ENRICHER_RESEND_PAUSE": "3000"]

  init(
    _ mock: MockAPNs, _ broker: any Broker, _ folder: TemporaryDirectory, caFile: String, port: Int, rate: Int
  ) throws {
    self.broker = broker
    source = try QueueKind.builtIn.url(broker.url("incoming"), defaultQueue: "incoming")
      .open(in: Queues(), for: .taking, createsFile: true)
    let key = folder.path(of: "AuthKey.p8")
    try mock.key.write(to: key)
    let tickets = folder.path(of: "tickets")
    try Files.write(Array(String(repeating: "0b", count: 32).utf8), to: tickets, mode: 0o600)
    let url = broker.url("incoming")
    pushQueue =
      url.hasPrefix("sqlite:")
      ? "sqlite:\(folder.path(of: "push-queue.db"))"
      : url.replacing("incoming", with: "push-queue").replacing(/\?.*/, with: "")
    arguments = [
      "send", "--from", url, "--to", "\(mock.target(key: key))&rate=\(rate)", "--dead-letters",
      broker.url("dead-letters"), "--ca-file", caFile, "--push-queue", pushQueue, "--push-queue-key", tickets,
      "--device-api", "127.0.0.1:\(port)",
    ]
  }

  func publish(for devices: [SimulatedDevice], count: Int) async throws {
    var messages: [Message] = []
    for number in 0..<count {
      for device in devices {
        messages.append(
          Message(
            body: Array(#"{"aps":{"alert":"n\#(number)","mutable-content":1}}"#.utf8),
            headers: [
              Header("device-token", device.token), Header("device-id", device.id),
              Header("apns-topic", SimulatedDevice.app),
            ]))
      }
    }
    try await source.publish(messages)
  }

  /// Runs processes one after another, and kills all but the last one.
  func run(for duration: Duration, kills: Int) async throws {
    let part = duration.milliseconds / (kills + 1)
    for number in 0...kills {
      let signal = number < kills ? "KILL" : "TERM"
      // No two have the same length, so that kills come at all kinds of moments.
      let time = part - 50 + number * 13 % 100
      let seconds = "\(Double(time) / 1_000)"
      let run = try await Command("timeout").run(
        ["--foreground", "-s", signal, seconds, PushEnricher.path] + arguments,
        environment: environment, limit: duration + .seconds(60))
      #expect([124, 137].contains(run.exitStatus), "\(run.standardError.suffix(2_000))")
    }
  }

  /// Runs a process as long as `body` takes.
  func run(during body: @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = try await PushEnricher.run(
          arguments, environment: environment, limit: .seconds(400))
      }
      try await body()
      group.cancelAll()
    }
  }

  func statistics() async throws -> [String: Int] {
    let run = try await PushEnricher.run(["deliveries", "--push-queue", pushQueue, "--json"])
    #expect(run.exitStatus == 0, "\(run.standardError)")
    let rows = try JSONSerialization.jsonObject(with: Data(run.standardOutput)) as? [[String: Any]] ?? []
    return rows.reduce(into: [:]) { sums, row in
      for (name, value) in row { if let count = value as? Int { sums[name, default: 0] += count } }
    }
  }
}
