internal import Supporting

/// Requests that wait for permits, in the order in which they came.
struct WaitingRequests {
  typealias Element = HostScheduler.Waiter

  private(set) var all: [Element] = []
  /// Memory of their payloads, in bytes.
  private(set) var bytes = 0

  mutating func append(_ waiter: Element) {
    all.append(waiter)
    bytes += waiter.request.bytes
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    let waiter = all.remove(at: index)
    bytes -= waiter.request.bytes
    return waiter
  }

  /// Moves all times forward, as `CircuitBreaker.discount`.
  mutating func discount(_ gap: Duration) {
    for index in all.indices { all[index].since += gap }
  }
}
