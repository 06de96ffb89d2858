internal import Supporting

/// Requests that wait for permits, in the order in which they came.
struct WaitingRoom {
  typealias Instant = MonotonicTime

  enum Reason: Equatable {
    /// The host has all the downloads that it may have.
    case host
    /// All hosts like it together have all that they may have.
    case others
  }

  struct Waiter {
    let permit: HostPermit.ID
    let request: PermitRequest
    var reason: Reason
    var since: Instant
    /// Memory that it takes, in bytes: that of its payload, if no other medium of that waits.
    fileprivate(set) var bytes = 0
  }

  /// Memory of a further medium of a payload that waits already, in bytes.
  private static let bytesOfAnother = 1_000

  private(set) var waiters: [Waiter] = []
  /// Memory of their payloads, in bytes.
  private(set) var bytes = 0

  var isEmpty: Bool { waiters.isEmpty }

  mutating func append(_ waiter: Waiter) {
    var waiter = waiter
    waiter.bytes = size(of: waiter.request)
    waiters.append(waiter)
    bytes += waiter.bytes
  }

  func size(of request: PermitRequest) -> Int {
    waiters.contains { $0.request.turn === request.turn } ? Self.bytesOfAnother : request.bytes
  }

  mutating func remove(_ permit: HostPermit.ID) { _ = remove { $0.permit == permit } }

  /// All media of a payload.
  mutating func remove(_ turn: PayloadTurn) -> [Waiter] { remove { $0.request.turn === turn } }

  private mutating func remove(_ isMeant: (Waiter) -> Bool) -> [Waiter] {
    let removed = waiters.filter(isMeant)
    waiters.removeAll(where: isMeant)
    bytes -= removed.reduce(0) { $0 + $1.bytes }
    return removed
  }

  /// Takes all of them out.
  mutating func empty() -> [Waiter] {
    defer { self = WaitingRoom() }
    return waiters
  }

  /// Moves all times forward: they waited for us, and not for their hosts.
  mutating func discount(_ time: Duration) {
    for index in waiters.indices { waiters[index].since += time }
  }

  /// Those that wait for the same host as most others, the last one first, so that room is left to other hosts.
  func inOrderOfReturn(with newcomer: Waiter) -> [Waiter] {
    let all = waiters + [newcomer]
    let counts = Dictionary(all.map { ($0.request.origin, 1) }, uniquingKeysWith: +)
    return all.enumerated().sorted { one, other in
      let (first, second) = (
        counts[one.element.request.origin] ?? 0, counts[other.element.request.origin] ?? 0
      )
      return first == second ? one.offset > other.offset : first > second
    }.map(\.element)
  }
}
