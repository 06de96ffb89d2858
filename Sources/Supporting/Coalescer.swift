package import Dispatch
internal import Synchronization

/// Performs items in batches on one serial queue: what is submitted while a batch is performed goes into the
/// next one together. A disk or a server is waited for once per batch, so 64 results take not much longer
/// than one.
package final class Coalescer<Item: Sendable>: Sendable {
  private let waiting = Mutex<[Item]>([])
  private let queue: DispatchQueue

  /// - Parameter queue: a serial one, on which batches are performed. They may block.
  package init(on queue: DispatchQueue) { self.queue = queue }

  /// Returns at once. Batches keep the order of submission.
  /// - Parameter perform: the same for all items. Called once per batch, and tells each item its own result.
  package func submit(_ item: Item, perform: @escaping @Sendable ([Item]) -> Void) {
    let isFirst = waiting.withLock { items in
      items.append(item)
      return items.count == 1
    }
    guard isFirst else { return }
    queue.async {
      let batch = self.waiting.withLock { items in
        defer { items = [] }
        return items
      }
      perform(batch)
    }
  }
}
