import DeviceAPI
import Glibc
import PushQueueing
import Serving
import TestSupport
import Testing

/// Named by `Tests/Benchmarks/device-api`.
private let benchmarkFolder = unsafe getenv("DEVICE_API_FOLDER").map { unsafe String(cString: $0) }

/// The server of that benchmark.
@Suite("The server for benchmarks")
struct ServerForBenchmarks {
  /// Each may ask once in 2 s, so there are more of them than requests.
  private static let devices = 200_000

  /// Writes a ticket and a body in each line of `requests`, and the port into `port`. Serves until there is a file
  /// `end`.
  @Test("serves until it is told to end", .enabled(if: benchmarkFolder != nil)) func serve() async throws {
    let folder = try #require(benchmarkFolder)
    try Files.write(Array(String(repeating: "1f", count: 32).utf8), to: "\(folder)/key", mode: 0o600)
    let keys = try TicketKeys(path: "\(folder)/key")
    let all = (0..<Self.devices).map { AppDevice(app: "com.example.mail", device: "device-\($0)") }
    let queue = FakePushQueue(Dictionary(uniqueKeysWithValues: all.map { ($0, .init()) }))
    let lines = all.map { device in
      let ticket = keys.ticket(for: QueuePosition(device: device, epoch: 7, position: 40))
      return
        #"\#(ticket)\#t{"app":"\#(device.app)","device":"\#(device.device)","e":7,"last":40,"count":3,"seen":"1"}"#
    }
    try Files.write(Array("\(lines.joined(separator: "\n"))\n".utf8), to: "\(folder)/requests")
    let api = try await DeviceAPI.start(
      DeviceAPISettings(at: Endpoint("127.0.0.1:0")), queue: queue, keys: keys)
    try Files.write(Array("\(api.endpoint.port)\n".utf8), to: "\(folder)/new")
    _ = unsafe rename("\(folder)/new", "\(folder)/port")
    while !Files.exists("\(folder)/end") { try await Task.sleep(for: .milliseconds(100)) }
    await api.stop()
  }
}
