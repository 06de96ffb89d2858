internal import NIOCore
internal import Supporting
internal import Synchronization

/// An HTTP/1.1 server on loopback that misbehaves as its paths say. `withHostileServer` makes one.
/// A test gets the URL of a behaviour, gives it to the code under test, and checks what arrived.
package final class HostileServer: Sendable {
  /// What arrived for one behaviour.
  package struct Tally: Equatable, Sendable {
    /// Connections on which the behaviour was asked for.
    package var connections = 0
    package var requests = 0
    /// Bytes that the kernel took. The client may not have read the last megabytes.
    package var bytesSent = 0
  }

  private struct Record {
    let route: String
    var tally = Tally()
    var requests: [Request] = []

    /// - Returns: the number of the request, counted from 1.
    mutating func add(_ request: Request, isNewConnection: Bool) -> Int {
      tally.requests += 1
      tally.connections += isNewConnection ? 1 : 0
      if requests.count < 1_000 { requests.append(request) }
      return tally.requests
    }
  }

  /// The first byte of a TLS record that carries a handshake message (RFC 8446 section 5.1).
  private static let tlsHandshake: UInt8 = 22

  private let listener: Listener
  private let scheme: String
  private let records = Mutex<[Behaviour: Record]>([:])

  fileprivate init(on listener: Listener, scheme: String) {
    self.listener = listener
    self.scheme = scheme
  }

  package var host: String { listener.host }
  package var port: Int { listener.port }

  /// Returns the same URL whenever the behaviour is the same. `name` replaces the address.
  package func url(_ behaviour: Behaviour, file: String = "media", host name: String? = nil) -> String {
    let route = records.withLock { records in
      let record = records[behaviour] ?? Record(route: "\(behaviour.name)-\(records.count + 1)")
      records[behaviour] = record
      return record.route
    }
    return "\(origin(scheme, name))/\(route)/\(file)"
  }

  /// An HTTPS URL whose server reads the client's hello and never answers it.
  package func stallingTLSURL(host name: String? = nil) -> String { "\(origin("https", name))/media" }

  package func tally(of behaviour: Behaviour) -> Tally {
    records.withLock { $0[behaviour]?.tally } ?? Tally()
  }

  /// The requests for one behaviour as they were sent, in order. At most the first 1,000.
  package func requests(for behaviour: Behaviour) -> [Request] {
    records.withLock { $0[behaviour]?.requests } ?? []
  }

  /// Connections accepted so far, with or without a request. Zero proves that no client connected.
  package var connections: Int { listener.accepted }
  package var openConnections: Int { listener.open }

  private func origin(_ scheme: String, _ name: String?) -> String {
    "\(scheme)://\(name ?? host.bracketingIPv6):\(port)"
  }

  fileprivate func converse(_ guest: Guest) async throws {
    var asked: Set<Behaviour> = []
    var received: [UInt8] = []
    guest.channel.read()
    for try await piece in guest.pieces {
      received += piece.readableBytesView
      if received.first == Self.tlsHandshake || received.count > 65_536 {
        return try await guest.channel.closeFuture.get()
      }
      while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received.removeSubrange(..<end.upperBound)
        guard var request = Request(head: head) else { return }
        let route = request.path.split(separator: "/").first.map(String.init)
        let behaviour = records.withLock { $0.first { $0.value.route == route }?.key }
        let connection = Connection(channel: guest.channel) { [self] bytes in
          if let behaviour { records.withLock { $0[behaviour]?.tally.bytesSent += bytes } }
        }
        guard let behaviour else {
          _ = try await connection.serve(.notFoundPage)
          return
        }
        let isNew = asked.insert(behaviour).inserted
        request.attempt = records.withLock { $0[behaviour]?.add(request, isNewConnection: isNew) } ?? 1
        if try await behaviour.answer(connection, request) == .closes { return }
      }
      guest.channel.read()
    }
  }
}

/// Runs `body` with a hostile server, on a free port if `port` is 0, then stops the server.
/// - Throws: the errors of `body`, or an error from NIO if the address cannot be bound.
package func withHostileServer<Result: Sendable>(
  on host: String = "127.0.0.1", port: Int = 0, tls: TLSServerContext? = nil,
  _ body: (HostileServer) async throws -> Result
) async throws -> Result {
  let listener = try await Listener(on: host, port: port, tls: tls)
  let server = HostileServer(on: listener, scheme: tls == nil ? "http" : "https")
  return try await listener.accept(server.converse) { try await body(server) }
}
