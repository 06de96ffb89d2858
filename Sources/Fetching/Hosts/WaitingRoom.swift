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
  }

  private(set) var waiters: [Waiter] = []
  /// Memory of their payloads, in bytes.
  private(set) var bytes = 0

  var isEmpty: Bool { waiters.isEmpty }

  mutating func append(_ waiter: Waiter) {
    waiters.append(waiter)
    bytes += waiter.request.bytes
  }

  /// - Returns: the waiter with this permit; nil if there is none.
  @discardableResult
  mutating func remove(_ permit: HostPermit.ID) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.permit == permit }) else { return nil }
    bytes -= waiters[index].request.bytes
    return waiters.remove(at: index)
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
