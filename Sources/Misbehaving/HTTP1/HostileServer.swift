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

    package init(connections: Int = 0, requests: Int = 0, bytesSent: Int = 0) {
      self.connections = connections
      self.requests = requests
      self.bytesSent = bytesSent
    }
  }

  private struct Record {
    var behaviour: Behaviour
    var tally = Tally()
    var requests: [Request] = []
  }

  private struct State {
    var accepted = 0
    var open = 0
    var routes: [Behaviour: String] = [:]
    var records: [String: Record] = [:]
  }

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

  /// What arrived for one behaviour.
  package func tally(of behaviour: Behaviour) -> Tally {
    record(of: behaviour)?.tally ?? Tally()
  }

  /// The requests for one behaviour, in order, as they were sent; at most the first 1,000.
  package func requests(for behaviour: Behaviour) -> [Request] {
    record(of: behaviour)?.requests ?? []
  }

  /// Connections accepted so far, also those on which nothing was asked. Zero shows that an address was never
  /// dialled.
  package var connections: Int { state.withLock { $0.accepted } }

  /// Connections that are open now.
  package var openConnections: Int { state.withLock { $0.open } }

  private func origin(scheme: String, _ name: String?) -> String {
    "\(scheme)://\(name ?? host.bracketingIPv6):\(port)"
  }

  private func record(of behaviour: Behaviour) -> Record? {
    state.withLock { state in state.routes[behaviour].flatMap { state.records[$0] } }
  }

  // MARK: For the connections

  func opened() {
    state.withLock {
      $0.accepted += 1
      $0.open += 1
    }
  }

  func closed() { state.withLock { $0.open -= 1 } }

  /// Counts a request. Returns what to do about it and how many there were, or nil where nothing is
  /// registered.
  func received(_ request: Request, on route: String, newConnection: Bool) -> (Behaviour, attempt: Int)? {
    state.withLock { state in
      guard var record = state.records.removeValue(forKey: route) else { return nil }
      record.tally.requests += 1
      if newConnection { record.tally.connections += 1 }
      if record.requests.count < 1_000 { record.requests.append(request) }
      state.records[route] = record
      return (record.behaviour, record.tally.requests)
    }
  }

  func sent(_ bytes: Int, on route: String) {
    state.withLock { $0.records[route]?.tally.bytesSent += bytes }
  }
}
