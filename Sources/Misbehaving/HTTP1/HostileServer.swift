internal import NIOCore
internal import Supporting
internal import Synchronization

/// An HTTP/1.1 server on loopback that misbehaves as its paths say. Made by `withHostileServer`.
///
/// A test asks for the URL of a behaviour, gives it to the code under test, and asks afterwards what arrived
/// here.
package final class HostileServer: Sendable {
  /// What arrived for one behaviour.
  package struct Tally: Equatable, Sendable {
    /// Connections on which it was asked for.
    package var connections = 0
    package var requests = 0
    /// Bytes that the kernel took, of which the client need not have read the last megabytes.
    package var bytesSent = 0
  }

  private struct Record {
    let behaviour: Behaviour
    var tally = Tally()
    var requests: [Request] = []
  }

  private struct State {
    var accepted = 0
    var open = 0
    var routes: [Behaviour: String] = [:]
    var records: [String: Record] = [:]
  }

  /// The first byte of a TLS record that carries a handshake message (RFC 8446 section 5.1).
  private static let tlsHandshake: UInt8 = 22

  /// The address that it listens on.
  package let host: String
  package let port: Int
  private let scheme: String
  private let state = Mutex(State())

  init(on listener: Listener, host: String) {
    scheme = listener.hasTLS ? "https" : "http"
    self.host = host
    port = listener.port
  }

  /// Where this behaviour is to be had: the same URL for the same behaviour, whose `Tally` is shared.
  ///
  /// `file` is the end of the path, for tests of what a name promises; `host` is a name to put in place of
  /// the address.
  package func url(_ behaviour: Behaviour, file: String = "media", host name: String? = nil) -> String {
    let route = state.withLock { state in
      if let known = state.routes[behaviour] { return known }
      let route = "\(behaviour.name)-\(state.routes.count + 1)"
      state.routes[behaviour] = route
      state.records[route] = Record(behaviour: behaviour)
      return route
    }
    return "\(origin(scheme: scheme, name))/\(route)/\(file)"
  }

  /// An HTTPS URL whose server reads the client's hello and never answers it.
  package func stallingTLSURL(host name: String? = nil) -> String { "\(origin(scheme: "https", name))/media" }

  package func tally(of behaviour: Behaviour) -> Tally { record(of: behaviour)?.tally ?? Tally() }

  /// The requests for one behaviour, in order, as they were sent; at most the first 1,000.
  package func requests(for behaviour: Behaviour) -> [Request] { record(of: behaviour)?.requests ?? [] }

  /// Connections accepted so far, also those on which nothing was asked. Zero shows that an address was never
  /// dialled.
  package var connections: Int { state.withLock { $0.accepted } }

  package var openConnections: Int { state.withLock { $0.open } }

  private func origin(scheme: String, _ name: String?) -> String {
    "\(scheme)://\(name ?? host.bracketingIPv6):\(port)"
  }

  private func record(of behaviour: Behaviour) -> Record? {
    state.withLock { state in state.routes[behaviour].flatMap { state.records[$0] } }
  }

  /// One connection from its opening to its end.
  func converse(_ guest: Guest) async throws {
    state.withLock {
      $0.accepted += 1
      $0.open += 1
    }
    defer { state.withLock { $0.open -= 1 } }
    var routes: Set<String> = []
    var received: [UInt8] = []
    for try await piece in guest {
      received += piece.readableBytesView
      if received.first == Self.tlsHandshake || received.count > 65_536 {
        return try await guest.channel.closeFuture.get()
      }
      while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received.removeSubrange(..<end.upperBound)
        guard var request = Request(head: head) else { return }
        let route = request.path.split(separator: "/").first.map(String.init) ?? ""
        let connection = Connection(channel: guest.channel) { [self] bytes in
          state.withLock { $0.records[route]?.tally.bytesSent += bytes }
        }
        guard let behaviour = count(&request, on: route, isNew: routes.insert(route).inserted) else {
          _ = try await connection.serve(.notFoundPage)
          return
        }
        if try await behaviour.answer(connection, request) == .closes { return }
      }
    }
  }

  /// - Parameter isNew: whether it is the first on its connection.
  /// - Returns: what to do about it, or nil where nothing is registered.
  private func count(_ request: inout Request, on route: String, isNew: Bool) -> Behaviour? {
    state.withLock { state in
      state.records[route]?.tally.requests += 1
      state.records[route]?.tally.connections += isNew ? 1 : 0
      guard let record = state.records[route] else { return nil }
      if record.requests.count < 1_000 { state.records[route]?.requests.append(request) }
      request.attempt = record.tally.requests
      return record.behaviour
    }
  }
}

/// Runs `body` with a hostile server on a free port, and stops the server however `body` ends.
///
/// `host` is a loopback address of either family; `port` is 0 for a free one; with `tls` it speaks HTTP/1.1
/// over TLS.
/// - Throws: what `body` throws, or an error of NIO's if the address cannot be bound.
package func withHostileServer<Result: Sendable>(
  on host: String = "127.0.0.1", port: Int = 0, tls: TLSServerContext? = nil,
  _ body: (HostileServer) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: host, port: port, tls: tls)
  let server = HostileServer(on: listener, host: host)
  return try await listener.accept(server.converse) { try await body(server) }
}
