internal import Queueing

/// What was meant, and could not be taken out of the queue.
struct DeadLetterRest {
  /// Named, and not in the queue.
  private var missing: [String] = []
  /// In the queue, and on lease with another process. RabbitMQ shows nobody what others have: it counts as missing there.
  private var held: [String] = []

  init() {}

  /// - Parameter removed: the ids of those that were taken out.
  init(of chosen: DeadLetterChoice, without removed: Set<String>, in queue: any Queue)
    async throws(QueueError)
  {
    var seen = removed
    missing = chosen.ids.filter { seen.insert($0).inserted }
    guard chosen.all || !missing.isEmpty else { return }
    let there = try await queue.browse(.max).map(\.id)
    held = chosen.all ? there.filter { seen.insert($0).inserted } : missing.filter(there.contains)
    missing.removeAll(where: held.contains)
  }

  /// Ends the process, with status 0 when there is none.
  func end(in source: QueueChoice) -> Never {
    if !held.isEmpty {
      Console.line(
        "\(source): with another process, and back within \(QueueLease.duration) of its end: \(Self.list(held))"
      )
    }
    if !missing.isEmpty {
      ExitStatus.badInput.end("\(source): not there: \(Self.list(missing)): see dead-letters list")
    }
    (held.isEmpty ? ExitStatus.done : .unavailable).end()
  }

  private static func list(_ ids: [String]) -> String {
    let shown = ids.prefix(20).joined(separator: ", ")
    return ids.count > 20 ? "\(shown) and \(ids.count - 20) more" : shown
  }
}
