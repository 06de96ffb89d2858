import BuiltInQueueing
import Foundation
import Misbehaving
import Notifications
import Queueing
import Supporting
import TestSupport
import Testing

/// Devices that are offline now and then, real processes that are killed, and APNs between them.
/// `PUSH_SIMULATION=200x100x20` sets the size: devices, pushes for each, kills.
@Suite("The push queue, simulated", .timeLimit(.minutes(20)))
struct SimulationTests {
  private struct Size {
    var devices = 20
    var pushes = 40
    var kills = 3

    init() {
      let parts = ProcessInfo.processInfo.environment["PUSH_SIMULATION"]?.split(separator: "x").compactMap {
        Int($0)
      }
      if let parts, parts.count == 3 { (devices, pushes, kills) = (parts[0], parts[1], parts[2]) }
    }

    var count: Int { devices * pushes }
    /// Pushes per second: one for each device, because a device may ask once in two seconds.
    var rate: Int { max(20, devices) }
  }

  @Test("every push is shown, in a summary, or has expired", arguments: BrokerKind.pushQueues)
  func everything(kind: BrokerKind) async throws {
    let size = Size()
    try await withTemporaryDirectory { folder in
      try await kind.withBroker { broker in
        try await withTLS(speaking: .http2) { tls, caFile in
          let port = freePort()
          let server = try #require(URL(string: "http://127.0.0.1:\(port)"))
          let devices = (0..<size.devices).map {
            SimulatedDevice(number: $0, pushes: size.pushes, server: server)
          }
          let network = SimulatedNetwork(devices, seed: 1)
          var behaviour = APNsBehaviour.healthy
          behaviour.tokenInterval = .zero
          behaviour.keepsBodies = true
          try await withMockAPNs(behaviour, tls: tls, deliveringWith: network.take) { mock in
            let sender = try Sender(mock, broker, folder, caFile: caFile, port: port, rate: size.rate)
            try await sender.publish(for: devices, count: size.pushes)
            try await sender.run(for: .seconds(size.count / size.rate + 3), kills: size.kills)
            // On a busy machine, the processes need more time.
            try await sender.run(during: { _ = await eventually { network.count == size.count } })
            await network.calm()
            // The last push of each device shows it what it has missed.
            try await sender.publish(for: devices, count: 1)
            try await sender.run(during: { try await Self.tellUntilComplete(devices, last: size.pushes + 1) })
            let statistics = try await sender.statistics()
            try await Self.compare(devices, network, size.count + size.devices, statistics)
          }
        }
      }
    }
  }

  /// A push that was sent again while its device was offline is sent once more when the app sends a receipt.
  private static func tellUntilComplete(_ devices: [SimulatedDevice], last: Int) async throws {
    for _ in 0..<60 {
      var isComplete = true
      for device in devices {
        let ledger = await device.ledger
        if ledger.last == last, ledger.missing.isEmpty { continue }
        isComplete = false
        if ledger.last > 0 { _ = await device.tell(attempts: 1) }
      }
      if isComplete { break }
      try await Task.sleep(for: .seconds(2))
    }
    for device in devices { #expect(await device.tell()) }
  }

  private static func compare(
    _ devices: [SimulatedDevice], _ network: SimulatedNetwork, _ count: Int, _ statistics: [String: Int]
  ) async throws {
    var (told, perhapsTold, recovered, summaries) = (0, 0, 0, 0)
    for device in devices {
      let ledger = await device.ledger
      #expect(ledger.missing == [], "device \(device.id)")
      #expect(ledger.shownTwice == 0, "device \(device.id)")
      #expect(ledger.wrongTexts == 0, "device \(device.id)")
      #expect(ledger.wrongCounts == 0, "device \(device.id)")
      #expect(ledger.shown.union(ledger.summarized).count == count / devices.count, "device \(device.id)")
      #expect(ledger.told.isSubset(of: ledger.shown), "device \(device.id)")
      told += ledger.told.count
      perhapsTold += ledger.perhapsTold.count
      recovered += ledger.recovered.intersection(ledger.told).count
      summaries += Int(ledger.summaries)
    }
    #expect(network.lost > count / 5)
    #expect(statistics["assigned"] == count)
    #expect(statistics["sent"] == count)
    #expect(statistics["accepted"] == count)
    // A device that lost a receipt and then is offline for long never reports what it had shown before.
    #expect(told...told + perhapsTold ~= statistics["receipts"] ?? 0)
    #expect(perhapsTold <= count / 1_000)
    #expect(statistics["summaries"] == summaries)
    #expect(statistics["recovered"] ?? 0 >= recovered)
    print(
      "simulated: \(count) pushes, \(network.lost) lost by being away, \(told) told, \(perhapsTold) perhaps, \(statistics)"
    )
  }
}

extension BrokerKind {
  /// The brokers that can keep a push queue.
  fileprivate static var pushQueues: [BrokerKind] { products.filter { "\($0)".lowercased() != "rabbitmq" } }
}
