internal import Supporting

/// The addresses of hosts, for as long as their name servers allow. Failures are not kept: the next try may
/// succeed.
struct NameCache {
  /// Hosts, and addresses of one host. Whoever has more is asked for each time: 128 KB are the most that this
  /// takes.
  static let maximumHosts = 256
  static let maximumAddresses = 16
  /// However long a name server allows.
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
    if entries.count >= Self.maximumHosts { makeRoom(at: now) }
    entries[host] = Entry(addresses: answer.addresses, end: now + min(answer.lifetime, Self.maximumLifetime))
  }

  /// Drops what is over, or else what is over soonest.
  private mutating func makeRoom(at now: ContinuousClock.Instant) {
    entries = entries.filter { $0.value.end > now }
    guard entries.count >= Self.maximumHosts else { return }
    if let first = entries.min(by: { $0.value.end < $1.value.end }) { entries[first.key] = nil }
  }
}
