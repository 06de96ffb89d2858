internal import Supporting

/// Requests that wait for permits, in order of arrival.
struct WaitingRoom {
  enum Reason: Equatable {
    case host
    /// All unproven hosts, or all slow ones, already have as many downloads together as they may.
    case others
    /// The host may get the request, but there is no place in memory.
    case place
  }

  struct Guest {
    let permit: HostPermit.ID
    let request: PermitRequest
    var reason: Reason
    var since: Instant
    /// Memory in bytes: that of its payload, or less if another of its media already waits.
    fileprivate(set) var bytes = 0
  }

  private static let bytesOfAnother = 1_000

  private(set) var guests: [Guest] = []
  private(set) var bytes = 0

  var isEmpty: Bool { guests.isEmpty }

  var needsPlaces: Bool { guests.contains { $0.reason == .place } }

  mutating func append(_ guest: Guest) {
    var guest = guest
    guest.bytes = guest.reason == .place ? 0 : size(of: guest.request)
    guests.append(guest)
    bytes += guest.bytes
  }

  func size(of request: PermitRequest) -> Int {
    guests.contains { $0.request.turn === request.turn } ? Self.bytesOfAnother : request.bytes
  }

  mutating func remove(if isMeant: (Guest) -> Bool) -> [Guest] {
    let removed = guests.filter(isMeant)
    guests.removeAll(where: isMeant)
    bytes -= removed.reduce(0) { $0 + $1.bytes }
    return removed
  }

  mutating func empty() -> [Guest] {
    defer { self = WaitingRoom() }
    return guests
  }

  /// Moves all times forward: the guests waited for this process, and not for their hosts.
  mutating func discount(_ time: Duration) {
    for index in guests.indices { guests[index].since += time }
  }

  /// The host with the most guests comes first, and its last guest first, to leave room for others.
  func inOrderOfReturn(with newcomer: Guest) -> [Guest] {
    let all = (guests + [newcomer]).filter { $0.reason != .place }
    let counts = Dictionary(all.map { ($0.request.origin, 1) }, uniquingKeysWith: +)
    let ranked = all.enumerated().map { (count: counts[$1.request.origin] ?? 0, place: $0, guest: $1) }
    return ranked.sorted { ($0.count, $0.place) > ($1.count, $1.place) }.map(\.guest)
  }
}

/// Represents a URL, because its text would take too much memory. Two URLs may have the same hash.
typealias URLHash = Int

extension PermitRequest {
  init(_ url: RemoteURL, bytes: Int, turn: PayloadTurn) {
    self.init(origin: url.origin, url: url.urlHash, bytes: bytes, turn: turn)
  }
}

extension RemoteURL {
  var urlHash: URLHash {
    var hasher = Hasher()
    hasher.combine(origin)
    hasher.combine(target)
    return hasher.finalize()
  }
}
