internal import Queueing

/// Chosen dead letters that could not be removed from the queue.
struct DeadLetterRest {
  /// Ids that were named, and are not in the queue.
  private var missing: [String] = []
  /// Ids in the queue that are on lease to another process. RabbitMQ does not show these, so they count as
  /// missing there.
  private var held: [String] = []

  init() {}

  /// - Parameter removed: the ids that were removed.
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

  /// Ends the process, with status 0 if there are none.
  func end(in source: QueueChoice) -> Never {
    if !held.isEmpty {
      Console.line(
        "\(source): with another process, and back when it has ended: \(Self.list(held))"
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
