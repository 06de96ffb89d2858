internal import Dispatch
internal import Queueing
internal import Synchronization

/// What is asked for while a broker is being waited for goes to it together next time: 64 results take not much longer than one.
final class Batch<Item: Sendable>: Sendable {
  private struct Job: Sendable {
    let item: Item
    let answer: @Sendable (QueueError?) -> Void
  }

  private let waiting = Mutex<[Job]>([])

  /// Has `perform` do `item`, together with what else is waiting.
  /// - Parameters:
  ///   - queue: where it is done.
  ///   - perform: the same for all. Returns what became of each; nil is good.
  func submit(
    _ item: Item, on queue: DispatchQueue, perform: @escaping @Sendable ([Item]) -> [QueueError?]
  ) async throws(QueueError) {
    let failure = await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { jobs in
        jobs.append(Job(item: item) { continuation.resume(returning: $0) })
        return jobs.count == 1
      }
      guard isFirst else { return }
      queue.async {
        let jobs = self.waiting.withLock { jobs in
          defer { jobs = [] }
          return jobs
        }
        for (job, failure) in zip(jobs, perform(jobs.map(\.item))) { job.answer(failure) }
      }
    }
    if let failure { throw failure }
  }
}
