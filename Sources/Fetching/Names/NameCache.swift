internal import Supporting

struct HostAddresses: Equatable, Sendable {
  /// At least one, as the name servers gave them: nobody has judged them yet.
  var addresses: [IPAddress]
  /// How long they may be used again; zero if only once.
  var lifetime: Duration
}

/// Failures are not kept: the next try may succeed.
struct NameCache {
  /// Hosts, and addresses of one host: 128 KB at most. A host with more addresses is asked for each time.
  static let maximumHosts = 256
  static let maximumAddresses = 16
  static let maximumLifetime = Duration.seconds(300)

  private struct Entry {
    let addresses: [IPAddress]
    let end: ContinuousClock.Instant
  }

  private var entries: [String: Entry] = [:]

  var count: Int { entries.count }

  func addresses(of host: String, at now: ContinuousClock.Instant) -> [IPAddress]? {
    entries[host].flatMap { $0.end > now ? $0.addresses : nil }
  }

  mutating func keep(_ answer: HostAddresses, of host: String, at now: ContinuousClock.Instant) {
    guard answer.lifetime > .zero, answer.addresses.count <= Self.maximumAddresses else { return }
    if entries.count >= Self.maximumHosts { entries = entries.filter { $0.value.end > now } }
    if entries.count >= Self.maximumHosts, let first = entries.min(by: { $0.value.end < $1.value.end }) {
      entries[first.key] = nil
    }
    entries[host] = Entry(addresses: answer.addresses, end: now + min(answer.lifetime, Self.maximumLifetime))
  }
}
