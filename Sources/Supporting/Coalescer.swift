public import Dispatch
public import Synchronization

/// Performs items in batches on a serial queue. Items submitted during a batch form the next batch.
/// Each batch waits for the disk or the server only once, so 64 results take little longer than one.
///
/// Public and inlinable for the same reason as `Waiter`. Threads also hold its lock for a shorter time then.
public final class Coalescer<Item: Sendable>: Sendable {
  @usableFromInline let waiting = Mutex<[Item]>([])
  @usableFromInline let queue: DispatchQueue

  /// - Parameter queue: a serial queue. Batches may block it.
  @inlinable public init(on queue: DispatchQueue) { self.queue = queue }

  /// Returns at once. Items are performed in the order of their submission.
  /// - Parameter perform: the same for all items. It is called once per batch, and tells each item its result.
  @inlinable
  public func submit(_ item: Item, perform: @escaping @Sendable ([Item]) -> Void) {
    let isFirst = waiting.withLock { items in
      items.append(item)
      return items.count == 1
    }
    guard isFirst else { return }
    queue.async {
      var batch: [Item] = []
      self.waiting.withLock { swap(&batch, &$0) }
      perform(batch)
    }
  }
}
