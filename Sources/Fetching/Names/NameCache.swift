internal import Supporting

struct HostAddresses: Equatable, Sendable {
  /// At least one address, as the name servers sent it: the address rule is not applied yet.
  var addresses: [IPAddress]
  /// How long the addresses may be reused; zero if they may be used only once.
  var lifetime: Duration
}

/// Failures are not kept, because the next attempt may succeed. Takes at most 128 KB.
struct NameCache {
  private static let maximumHosts = 256

  private var entries: [String: (addresses: [IPAddress], end: ContinuousClock.Instant)] = [:]

  var count: Int { entries.count }

  func addresses(of host: String, at now: ContinuousClock.Instant) -> [IPAddress]? {
    entries[host].flatMap { $0.end > now ? $0.addresses : nil }
  }

  mutating func keep(_ answer: HostAddresses, of host: String, at now: ContinuousClock.Instant) {
    guard answer.lifetime > .zero, answer.addresses.count <= 16 else { return }
    if count >= Self.maximumHosts { entries = entries.filter { $0.value.end > now } }
    if count >= Self.maximumHosts, let first = entries.min(by: { $0.value.end < $1.value.end }) {
      entries[first.key] = nil
    }
    entries[host] = (answer.addresses, now + min(answer.lifetime, .seconds(300)))
  }

  /// Puts an address before the others, because it accepts connections.
  mutating func prefer(_ address: IPAddress, of host: String) {
    guard var entry = entries[host], let index = entry.addresses.firstIndex(of: address) else { return }
    entry.addresses.insert(entry.addresses.remove(at: index), at: 0)
    entries[host] = entry
  }
}
