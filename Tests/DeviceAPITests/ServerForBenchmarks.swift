import BuiltInQueueing
import DeviceAPI
import Glibc
import PushQueueing
import Serving
import Supporting
import TestSupport
import Testing

/// Set by `Tests/Benchmarks/device-api`.
private let benchmarkFolder = unsafe getenv("DEVICE_API_FOLDER").map { unsafe String(cString: $0) }

/// The server of the benchmark `device-api`.
@Suite("The server for benchmarks")
struct ServerForBenchmarks {
  /// A device may ask only once in 2 s, so there are more devices than requests.
  private static let devices = benchmarkFolder == nil ? 500 : 100_000

  /// Without the benchmark, this is a test: it sends one of its own requests.
  @Test("answers the requests that it writes") func serve() async throws {
    guard let benchmarkFolder else {
      return try await withTemporaryDirectory { folder in
        async let served: Void = Self.serve(in: folder.path)
        #expect(await eventually { Files.exists(folder.path(of: "port")) })
        let port = String(decoding: try Files.read(folder.path(of: "port")).dropLast(), as: UTF8.self)
        let line = try Files.read(folder.path(of: "requests")).split(separator: 10).first ?? []
        let parts = String(decoding: line, as: UTF8.self).split(separator: "\t").map { String($0) }
        for (path, status) in [("missed", "202"), ("receipts", "204")] {
          let run = try await Command("curl").run([
            "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Authorization: Bearer \(parts[0])", "-d",
            parts[1],
            "http://127.0.0.1:\(port)/v1/\(path)",
          ])
          #expect(run.output == status)
        }
        try Files.write([], to: folder.path(of: "end"))
        try await served
      }
    }
    try await Self.serve(in: benchmarkFolder)
  }

  /// Writes a ticket and a body into each line of `requests`, and the port into `port`. Serves until the file
  /// `end` exists.
  private static func serve(in folder: String) async throws {
    try Files.write(Array(String(repeating: "1f", count: 32).utf8), to: "\(folder)/key", mode: 0o600)
    let keys = try TicketKeys(path: "\(folder)/key")
    let queue = try PushQueueKind.builtIn.url("sqlite:\(folder)/push-queue.db")
      .open(PushQueueLimits(), certificateFile: nil) { _ in }
    var lines: [String] = []
    for start in stride(from: 0, to: Self.devices, by: 500) {
      let devices = (start..<start + 500).map { AppDevice(app: "com.example.mail", device: "device-\($0)") }
      for position in try await push(to: devices, queue) {
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

  /// Numbers two pushes to each device. APNs has accepted both.
  /// - Returns: the positions of the second pushes.
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
