internal import Queueing

/// Removes the chosen dead letters, each after its publications are confirmed. Leaves the others.
struct DeadLetterRemoval {
  let chosen: DeadLetterChoice
  let source: QueueChoice
  let queue: any Queue
  /// The word for what was done: `dropped`.
  let done: String
  private(set) var removed: Set<String> = []
  private(set) var count = 0
  /// The letters that were taken but not looked at yet.
  private(set) var batch: ArraySlice<Delivery> = []
  /// The letters that were taken but not chosen.
  private(set) var others: [Delivery] = []

  /// Says how many letters were removed. Throws if some could not be.
  mutating func run(publishing publications: (Message) -> [Publication]) async throws(CommandError) {
    var rest = (held: [String](), missing: [String]())
    do throws(QueueError) {
      try await removeAll(publishing: publications)
      rest = try await findRest()
    } catch {
      try? await queue.release(others + batch)
      tell()
      throw source.failure(error)
    }
    tell()
    if !rest.held.isEmpty {
      Console.line("\(source): held by another process, and back when it ends: \(Self.list(rest.held))")
    }
    guard rest.missing.isEmpty else {
      throw CommandError("\(source): not there: \(Self.list(rest.missing)): see dead-letters list", .badInput)
    }
    if !rest.held.isEmpty { ExitStatus.unavailable.end() }
  }

  /// Keeps skipped letters on lease until it has seen the last one. Takes no more letters than there
  /// were at the start: replayed ones may come back through an exchange or another host name.
  private mutating func removeAll(
    publishing publications: (Message) -> [Publication]
  ) async throws(QueueError) {
    let backlog = try await queue.backlog
    var left = backlog.map { $0.waiting + ($0.onLease ?? 0) } ?? .max
    var last = LastDeliveries()
    while left > 0,
      let deliveries = try await last.receive(min(left, 100), from: queue, besides: others.count),
      !deliveries.isEmpty
    {
      left -= deliveries.count
      batch = deliveries[...]
      while let delivery = batch.first {
        if chosen.includes(delivery.message.id) {
          try await remove(delivery, publishing: publications(delivery.message))
        } else {
          others.append(delivery)
        }
        batch.removeFirst()
      }
    }
    try await queue.release(others)
    others = []
  }

  private mutating func remove(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) {
    do throws(QueueError) {
      try await queue.settle(delivery, publishing: publications).orThrow()
      removed.insert(delivery.message.id)
      count += 1
    } catch .leaseLost {
      // Another process has the letter by now.
    }
  }

  /// Returns the ids of chosen letters that other processes hold on lease, and of those that are
  /// not in the queue. RabbitMQ does not show letters on lease, so there they count as missing.
  private func findRest() async throws(QueueError) -> (held: [String], missing: [String]) {
    var seen = removed
    let missing = chosen.ids.filter { seen.insert($0).inserted }
    guard chosen.all || !missing.isEmpty else { return ([], []) }
    let there = try await queue.browse(.max).map(\.id)
    let held = chosen.all ? there.filter { seen.insert($0).inserted } : missing.filter(there.contains)
    return (held, missing.filter { !held.contains($0) })
  }

  private func tell() { Console.line("\(count.of("message")) \(done)") }

  private static func list(_ ids: [String]) -> String {
    let shown = ids.prefix(20).joined(separator: ", ")
    return ids.count > 20 ? "\(shown) and \(ids.count - 20) more" : shown
  }
}
