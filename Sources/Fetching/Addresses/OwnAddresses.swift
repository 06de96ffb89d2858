internal import Supporting
internal import Synchronization

/// The addresses of this machine's interfaces. Public ones too lead to services that are meant for nobody
/// outside: what listens on all of them is behind the firewall for whoever connects from here.
package final class OwnAddresses: Sendable {
  /// Those of the system.
  package static let system = OwnAddresses { read() }

  /// How old a list may be, which interfaces that come and go make wrong.
  static let age = Duration.seconds(1)

  private struct State {
    var addresses: Set<IPAddress> = []
    var end: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let read: @Sendable () -> Set<IPAddress>?

  /// - Parameter read: the addresses as they are now; nil where they cannot be known, and those from before
  ///   go on to count.
  init(read: @escaping @Sendable () -> Set<IPAddress>?) {
    self.read = read
  }

  func contains(_ address: IPAddress, at now: ContinuousClock.Instant = .now) -> Bool {
    state.withLock { state in
      if state.end.map({ $0 <= now }) ?? true {
        state.addresses = read() ?? state.addresses
        state.end = now + Self.age
      }
      return state.addresses.contains(address)
    }
  }
}
