import COpenSSL
import Glibc
import Misbehaving
import Queueing
import Supporting
import Synchronization
import TestSupport

@testable import Sending

let device = String(repeating: "ab", count: 32)

extension PushTimes {
  /// Short pauses. The patience with a server is that of users: a busy machine may hold up the server for seconds.
  static var short: PushTimes {
    var times = PushTimes()
    (times.cancellation, times.firstPause) = (.milliseconds(200), .milliseconds(100))
    (times.credentials, times.tooManyTokens) = (.seconds(1), .seconds(1))
    return times
  }

  /// The same with little patience, for servers that fall silent.
  static var impatient: PushTimes {
    var times = PushTimes.short
    (times.lookup, times.connect, times.answer) = (.seconds(5), .seconds(2), .seconds(5))
    (times.quiet, times.ping, times.stall) = (.seconds(1), .seconds(1), .seconds(5))
    return times
  }
}

extension Message {
  static func push(_ id: String, to device: String = device) -> Message {
    let headers = [
      Header("device-token", device), Header("apns-topic", "com.example.app"),
      Header("apns-push-type", "alert"),
    ]
    return Message(id: id, body: Array(#"{"aps":{"alert":"Hello"}}"#.utf8), headers: headers)
  }

  static func pushes(_ count: Int) -> [Message] {
    (0..<count).map {
      push("m\($0)", to: String(hexadecimal: [UInt8($0 >> 8), UInt8($0 & 255)].span) + device)
    }
  }
}

/// Runs `body` with the file of a new signing key (PKCS #8, P-256).
func withSigningKey<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
  try await withTemporaryDirectory { folder in
    let path = folder.path(of: "AuthKey.p8")
    let run = try await Command("openssl").run(
      ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path])
    guard run.exitStatus == 0 else { throw QueueError.refused("\(run.standardError)") }
    unsafe chmod(path, 0o600)
    return try await body(path)
  }
}

/// Runs `body` with a sink that sends to a host on this machine.
func withSink<Result: Sendable>(
  to host: String = "127.0.0.1", port: Int, trusting file: String?, connections: Int = 1, rate: Int? = nil,
  times: PushTimes = .short, _ body: (APNsSink) async throws -> Result
) async throws -> Result {
  try await withSigningKey { key in
    let target = PushTarget(
      host: host, port: port, topic: nil, connections: connections, rate: rate, certificateFile: file)
    let token = try ProviderToken(file: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    return try await body(APNsSink(try PushLoop(target, .token(token), times), topic: nil))
  }
}

/// The same for an HTTP/2 server that answers each request with the frames of `content`.
func withFrames<Result: Sendable>(
  then close: HTTP2Behaviour.Close = .never, connections: Int = 1, rate: Int? = nil,
  times: PushTimes = .short,
  _ content: @escaping HTTP2Behaviour.Content, _ body: (APNsSink, HTTP2Server) async throws -> Result
) async throws -> Result {
  try await withHTTP2Server(HTTP2Behaviour("apns", then: close, content)) { server, file in
    try await withSink(port: server.port, trusting: file, connections: connections, rate: rate, times: times)
    {
      try await body($0, server)
    }
  }
}

/// Frames of an answer.
func answer(_ stream: UInt32, _ status: Int, _ reason: String? = nil) -> [UInt8] {
  let block = status == 200 ? HPACK.ok : HPACK.status(status)
  guard let reason else { return HTTP2Behaviour.head(stream, block, isLast: true) }
  return HTTP2Behaviour.head(stream, block)
    + HTTP2Behaviour.data(stream, Array(#"{"reason":"\#(reason)"}"#.utf8), isLast: true)
}

/// Frames of a GOAWAY with no error.
func goAway(after last: UInt32) -> [UInt8] {
  HTTP2Behaviour.frame(.goAway, [0, 0, UInt8(last >> 8), UInt8(last & 255), 0, 0, 0, 0])
}

/// Counts calls from several threads.
final class Calls: Sendable {
  private let count = Mutex(0)
  /// Returns the number of this call, from 1 on.
  func next() -> Int {
    count.withLock {
      $0 += 1; return $0
    }
  }
}

/// For `#require`, which takes no spans.
func decodeBase64URL(_ text: String) -> [UInt8]? { BaseEncoding.base64URL.bytes(of: text.utf8.span) }
