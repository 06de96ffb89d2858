internal import Supporting

/// Requests that wait for permits, in the order in which they came.
struct WaitingRoom {
  enum Reason: Equatable {
    case host
    /// All hosts like it together have all that they may have.
    case others
    /// The host may be asked, and there is no place in memory.
    case place
  }

  struct Guest {
    let permit: HostPermit.ID
    let request: PermitRequest
    var reason: Reason
    var since: Instant
    /// Memory in bytes: its payload's, unless another medium of that waits.
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

  /// Moves all times forward: they waited for us, and not for their hosts.
  mutating func discount(_ time: Duration) {
    for index in guests.indices { guests[index].since += time }
  }

  /// The host that most wait for comes first, with its last guest first, so that room is left to other hosts.
  func inOrderOfReturn(with newcomer: Guest) -> [Guest] {
    let all = (guests + [newcomer]).filter { $0.reason != .place }
    let counts = Dictionary(all.map { ($0.request.origin, 1) }, uniquingKeysWith: +)
    let ranked = all.enumerated().map { (count: counts[$1.request.origin] ?? 0, place: $0, guest: $1) }
    return ranked.sorted { ($0.count, $0.place) > ($1.count, $1.place) }.map(\.guest)
  }
}

/// Stands for a URL, because its text would take too much memory. Two URLs may have the same one.
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
