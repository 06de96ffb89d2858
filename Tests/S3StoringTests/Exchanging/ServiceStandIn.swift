import Misbehaving
import Synchronization
import TestSupport

@testable import S3Storing

/// A service on loopback that answers each request as a test says, and remembers what it was asked.
final class ServiceStandIn: Sendable {
  struct Question: Sendable {
    let request: Request
    let body: [UInt8]
  }

  private let listener: Listener
  private let asked = Mutex<[Question]>([])
  let isSecure: Bool

  fileprivate init(on listener: Listener, isSecure: Bool) {
    (self.listener, self.isSecure) = (listener, isSecure)
  }

  var connections: Int { listener.accepted }
  var questions: [Question] { asked.withLock { $0 } }
  var port: Int { listener.port }

  func url(_ target: String = "/", host: String = "127.0.0.1") -> ServiceURL {
    ServiceURL(isSecure: isSecure, host: host, port: port, target: target)
  }

  fileprivate func note(_ request: Request, _ body: [UInt8]) {
    asked.withLock { $0.append(Question(request: request, body: body)) }
  }
}

/// Answers one request on its connection. Throw or close to end the connection.
typealias Reply = @Sendable (Connection, Request) async throws -> Void

/// Runs `body` with a service that reads each request whole before it replies.
func withService<Result: Sendable>(
  tls: TLSServerContext? = nil, reply: @escaping Reply, _ body: (ServiceStandIn) async throws -> Result
) async throws -> Result {
  try await withRawService(tls: tls) { service, visitor in
    while let request = try await visitor.nextHead() {
      guard let body = try await visitor.body(of: request) else { return }
      service.note(request, body)
      try await reply(visitor.connection, request)
    }
  } _: {
    try await body($0)
  }
}

/// Runs `body` with a service that treats each connection as `converse` says.
func withRawService<Result: Sendable>(
  tls: TLSServerContext? = nil, converse: @escaping @Sendable (ServiceStandIn, Visitor) async throws -> Void,
  _ body: (ServiceStandIn) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: "127.0.0.1", port: 0, tls: tls)
  let service = ServiceStandIn(on: listener, isSecure: tls != nil)
  return try await listener.accept {
    try await converse(service, Visitor($0))
  } while: {
    try await body(service)
  }
}

/// The answer 200 with a body.
let answered: Reply = { connection, _ in try await connection.send(whole("hello")) }

func whole(_ text: String, status: String = "200 OK") -> String {
  "HTTP/1.1 \(status)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
}

extension HTTPClient {
  /// The error of a request that must fail.
  func failure(of request: HTTPRequest, within limit: Duration = .seconds(30)) async -> HTTPFailure? {
    do throws(HTTPFailure) {
      _ = try await send(request, within: limit)
      return nil
    } catch {
      return error
    }
  }
}
