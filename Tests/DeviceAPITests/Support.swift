import DeviceAPI
import PushQueueing
import Queueing
import Serving
import Supporting
import Synchronization
import TestSupport

extension AppDevice {
  static let known = AppDevice(app: "com.example.mail", device: "6F1C7B0E-0000-4000-8000-000000000001")
  static let other = AppDevice(app: "com.example.mail", device: "6F1C7B0E-0000-4000-8000-000000000002")
  static let unknown = AppDevice(app: "com.example.mail", device: "nobody")
}

extension TicketKeys {
  static func make(in folder: TemporaryDirectory) throws -> TicketKeys {
    try TicketKeys(
      path: folder.write(Array(String(repeating: "1f", count: 32).utf8), to: "tickets", mode: 0o600))
  }
}

/// A device API with its queue and the keys of its tickets.
struct Site: Sendable {
  let api: DeviceAPI
  let keys: TicketKeys
  let queue: FakePushQueue
  let folder: TemporaryDirectory

  var port: Int { api.endpoint.port }

  func ticket(_ device: AppDevice, e: Int64 = 7, last: Int64 = 40) -> String {
    keys.ticket(for: QueuePosition(device: device, epoch: e, position: last))
  }

  /// What curl prints: the head of the answer and its body.
  /// - Parameter ticket: nil for the ticket of the push.
  func post(
    _ path: String, _ rest: String = #""count":3,"seen":1"#, from device: AppDevice = .known, e: Int64 = 7,
    last: Int64 = 40, ticket: String? = nil, options: [String] = []
  ) async throws -> Answer {
    try await post(
      path,
      body: #"{"app":"\#(device.app)","device":"\#(device.device)","e":\#(e),"last":\#(last),\#(rest)}"#,
      ticket: ticket ?? self.ticket(device, e: e, last: last), options: options)
  }

  func post(
    _ path: String, body: String, ticket: String, options: [String] = []
  ) async throws -> Answer {
    try await curl(path, ["--data-binary", body, "-H", "Authorization: Bearer \(ticket)"] + options)
  }

  func curl(_ path: String, _ options: [String], scheme: String = "http") async throws -> Answer {
    let run = try await Command("curl").run(
      ["-q", "-sS", "-i", "--noproxy", "*", "--max-time", "30"] + options
        + ["\(scheme)://localhost:\(port)\(path)", "--ipv4"])
    return Answer(run.output, error: run.standardError)
  }

  /// Runs a Python program, which has the port in `sys.argv[1]`, and returns its output.
  func python(_ program: String, _ arguments: String...) async throws -> String {
    let run = try await Command("/usr/bin/python3").run(
      ["-c", program, "\(port)"] + arguments, limit: .seconds(240))
    return run.output + run.standardError
  }
}

struct Answer: CustomStringConvertible {
  let description: String
  let error: String

  init(_ text: String, error: String = "") { (description, self.error) = (text, error) }

  var status: Int? {
    description.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
  }
  var body: String {
    description.firstRange(of: "\r\n\r\n").map { String(description[$0.upperBound...]) } ?? ""
  }
  func field(_ name: String) -> String? {
    description.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }.map {
      String($0.dropFirst(name.count + 2))
    }
  }
}

/// Runs `body` with a device API on a free port, and stops it however `body` ends.
func withAPI(
  _ queue: FakePushQueue = FakePushQueue([.known: .init()]), tls: Bool = false, now: Int64 = 1_000_000,
  _ change: (inout DeviceAPISettings) -> Void = { _ in },
  _ body: (Site) async throws -> Void
) async throws {
  try await withTemporaryDirectory { folder in
    if tls { try await makeCertificate("site", in: folder) }
    var settings = try DeviceAPISettings(
      at: Endpoint("127.0.0.1:0"), certificateFile: tls ? folder.path(of: "site.pem") : nil,
      keyFile: tls ? folder.path(of: "site.key") : nil)
    change(&settings)
    let keys = try TicketKeys.make(in: folder)
    let api = try await DeviceAPI.start(settings, queue: queue, keys: keys, now: { now })
    do { try await body(Site(api: api, keys: keys, queue: queue, folder: folder)) } catch {
      await api.stop()
      throw error
    }
    await api.stop()
  }
}

/// Makes `NAME.pem` and `NAME.key`, for localhost.
func makeCertificate(_ name: String, in folder: TemporaryDirectory) async throws {
  try await Command("openssl").runSuccessfully([
    "req", "-config", "/dev/null", "-x509", "-days", "2", "-subj", "/CN=\(name)", "-newkey", "ec", "-pkeyopt",
    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", folder.path(of: "\(name).key"), "-out",
    folder.path(of: "\(name).pem"), "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
  ])
}
