import BuiltInQueueing
import DeviceAPI
import Glibc
import PushQueueing
import Serving
import Supporting
import TestSupport
import Testing

/// Named by `Tests/Benchmarks/device-api`.
private let benchmarkFolder = unsafe getenv("DEVICE_API_FOLDER").map { unsafe String(cString: $0) }

/// The server of that benchmark.
@Suite("The server for benchmarks")
struct ServerForBenchmarks {
  /// Each may ask once in 2 s, so there are more of them than requests.
  private static let devices = 100_000

  /// Writes a ticket and a body in each line of `requests`, and the port into `port`. Serves until there is a file
  /// `end`.
  @Test("serves until it is told to end", .enabled(if: benchmarkFolder != nil)) func serve() async throws {
    let folder = try #require(benchmarkFolder)
    try Files.write(Array(String(repeating: "1f", count: 32).utf8), to: "\(folder)/key", mode: 0o600)
    let keys = try TicketKeys(path: "\(folder)/key")
    let queue = try PushQueueKind.builtIn.url("sqlite:\(folder)/push-queue.db")
      .open(PushQueueLimits(), certificateFile: nil) { _ in }
    var lines: [String] = []
    for start in stride(from: 0, to: Self.devices, by: 500) {
      let devices = (start..<start + 500).map { AppDevice(app: "com.example.mail", device: "device-\($0)") }
      for position in try await Self.push(to: devices, queue) {
        let (app, device) = (position.device.app, position.device.device)
        lines.append(
          #"\#(keys.ticket(for: position))\#t{"app":"\#(app)","device":"\#(device)","e":\#(position.epoch),"last":2,"count":1,"seen":"1"}"#
        )
      }
    }
    try Files.write(Array("\(lines.joined(separator: "\n"))\n".utf8), to: "\(folder)/requests")
    let api = try await DeviceAPI.start(
      DeviceAPISettings(at: Endpoint("127.0.0.1:0")), queue: queue, keys: keys)
    try Files.write(Array("\(api.endpoint.port)\n".utf8), to: "\(folder)/new")
    _ = unsafe rename("\(folder)/new", "\(folder)/port")
    while !Files.exists("\(folder)/end") { try await Task.sleep(for: .milliseconds(100)) }
    await api.stop()
  }

  /// Two pushes to each device, which APNs has accepted.
  /// - Returns: the positions of the second ones.
  private static func push(to devices: [AppDevice], _ queue: any PushQueue) async throws -> [QueuePosition] {
    let now = WallClock.milliseconds - PushQueueLimits.resendPause
    let offers = devices.flatMap { device in
      (1...2).map { number in
        OfferedPush(
          device: device, token: "ab", message: "\(device.device) \(number)",
          expires: now + PushQueueLimits.longestLife, collapseID: nil, body: Array(#"{"aps":{}}"#.utf8),
          headers: [])
      }
    }
    let positions = try await queue.assign(offers, at: now)
    try await queue.note(positions.map { NotedAnswer($0, .accepted) }, at: now)
    return positions.filter { $0.position == 2 }
  }
}
