package import Fetching

/// What whoever feeds an enricher asks it, beside the payloads.
extension Enricher {
  /// What a payload that waits takes, in bytes: its tasks, its timer, and three times itself.
  static let waitingBytes = 8_000

  /// Leave for the transfers of up to `count` payloads: what is taken from a queue with it does not wait in here for those before it.
  /// Half of what is free is left to payloads with several media.
  /// - Returns: at least one; none when all transfers are stuck for a whole deadline, or when the memory leaves no room for any.
  package func rooms(upTo count: Int) async -> [Room] {
    let (fetcher, budget) = (tools.fetcher, tools.budget)
    // Mostly there is some at once.
    var first = fetcher.isOpen && budget.takeFree(1) == 1 ? Room(budget) : nil
    if first == nil {
      first =
        await Deadline(settings.deadline).limit {
          await fetcher.waitUntilOpen()
          return try? await budget.room()
        } ?? nil
    }
    guard let first else { return [] }
    return [first] + (0..<budget.takeFree(min(count - 1, budget.free / 2))).map { _ in Room(budget) }
  }

  /// Payloads that may wait for their hosts' turns, beside those whose media are fetched.
  package var maximumWaiting: Int { settings.hosts.waitingBytes / Self.waitingBytes }

  /// Transfers at once that the memory and the concurrency allow, and those of them that are taken.
  package var transfers: (slots: Int, taken: Int) {
    (tools.budget.slots, tools.budget.slots - tools.budget.free)
  }

  /// Private memory that the process may have, in bytes.
  package var memoryLimit: Int { tools.budget.total }

  /// Why no medium will ever be fetched; nil where the memory leaves room for one at least.
  package var memoryFailure: Failure? { tools.budget.lack }

  /// Hosts that are not asked now because they do not answer, in no order.
  package var unhealthyHosts: [UnhealthyHost] { tools.fetcher.unhealthyHosts }

  /// How often the cache helped since the start; nil without one.
  package var cacheCounts: CacheCounts? { tools.cache?.counts }

  /// Why no medium will ever be stored unless somebody sees to it; nil where all is well, or the disk takes more than five seconds to
  /// say so.
  package func storeFailure() async -> Failure? {
    let error = await Deadline(.seconds(5)).limit { [store = tools.store] in await store.lastingError() }
    return (error ?? nil).map { Failure($0) }
  }
}
