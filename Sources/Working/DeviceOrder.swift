internal import Supporting
internal import Synchronization

/// Keeps the order of the messages to each device: a message goes to the sink only after the earlier messages
/// in other batches were sent or put aside. Messages in the same batch go together, and the sink keeps their
/// order.
final class DeviceOrder: Sendable {
  /// The messages of one device that are in hand, by their numbers in the order of receipt.
  private struct Line {
    var first: Int
    /// Mostly empty, which takes no memory.
    var rest: [Int] = []
    /// Set when a message is put aside: until when, in milliseconds since 1970, and the number of the last
    /// message that was in hand then. Messages up to that number have to be put aside, too.
    var aside: (until: Int64, last: Int)?
  }

  private let lines = Mutex<[HashedText: Line]>([:])

  /// Adds messages that are in hand from now on. Call it before `Postponement.sift`, which then knows of all
  /// messages that were put aside earlier.
  func enter(_ items: [ForwardedBatch.Item]) {
    lines.withLock { lines in
      for item in items {
        guard let key = item.line, var line = lines.updateValue(Line(first: item.number), forKey: key)
        else { continue }
        line.rest.append(item.number)
        lines[key] = line
      }
    }
  }

  /// Removes messages that are sent or put aside.
  func leave(_ items: [ForwardedBatch.Item]) {
    lines.withLock { lines in
      for item in items {
        guard let key = item.line, var line = lines.removeValue(forKey: key) else { continue }
        if line.first != item.number {
          line.rest.removeAll { $0 == item.number }
        } else if line.rest.isEmpty {
          continue
        } else {
          line.first = line.rest.removeFirst()
        }
        lines[key] = line
      }
    }
  }

  /// Notes that a message was put aside, so that `split` does the same with the later ones of its device.
  /// Call it before `leave`.
  func putAside(_ item: ForwardedBatch.Item, until time: Int64) {
    guard let line = item.line else { return }
    lines.withLock { lines in
      guard let last = lines[line].map({ $0.rest.last ?? $0.first }) else { return }
      let until = max(time, lines[line]?.aside?.until ?? 0)
      lines[line]?.aside = (until, last)
    }
  }

  /// Splits messages of a batch, in their order, into those to send, those to put aside, and those that wait.
  func split(_ items: [ForwardedBatch.Item], at now: MonotonicTime) -> Parts {
    var parts = Parts()
    guard let start = items.first?.batch else { return parts }
    var blocked: Set<HashedText> = []
    lines.withLock { lines in
      for item in items {
        let line = item.line.flatMap { lines[$0] }
        let isFirst = line.map { $0.first >= start } ?? true
        if item.due > now || !isFirst || item.line.map(blocked.contains) == true {
          if let line = item.line { blocked.insert(line) }
          parts.waiting.append(item)
        } else if let aside = line?.aside, aside.last >= item.number {
          parts.aside.append(
            ForwardedBatch.Aside(
              item: item, until: aside.until, detail: "an earlier push to the device waits"))
        } else {
          parts.due.append(item)
        }
      }
    }
    return parts
  }

  struct Parts {
    var due: [ForwardedBatch.Item] = []
    var aside: [ForwardedBatch.Aside] = []
    var waiting: [ForwardedBatch.Item] = []
  }
}
