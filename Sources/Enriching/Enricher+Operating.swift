package import Fetching

/// What a worker asks an enricher, beside enriching payloads.
extension Enricher {
  /// Memory of a waiting payload, in bytes, beside three times its own size: its task and its timer. (A task that
  /// was used before has 10 KB: no more are kept than payloads are in flight at once.)
  static let waitingBytes = 8_000

  /// Memory of a payload that is still to come, while it waits: with a body of 1 KB, which is a long one.
  private static let intake = waitingBytes + 3 * 1_024

  /// Reserves slots for up to `count` payloads, one each, so that a payload taken from a queue need not wait
  /// for those before it. Half of the free slots are left to payloads with several media.
  /// - Parameter mayGoBack: whether the queue takes back what cannot start. Otherwise no more are taken than can
  ///   wait for their hosts.
  /// - Returns: at least one; none if all transfers are stuck for a whole deadline, or the memory allows
  ///   none.
  package func reserveSlots(upTo count: Int, mayGoBack: Bool) async -> [SlotReservation] {
    let (fetcher, slots) = (services.fetcher, services.slots)
    let known = fetcher.capacity(for: Self.intake, mayReturn: mayGoBack)
    // Mostly there is room at once.
    if known > 0, slots.takeFree(1) == 1 {
      let first = SlotReservation(of: slots, ahead: true, mayGoBack: mayGoBack)
      return [first] + reserveMore(min(count, known) - 1, mayGoBack: mayGoBack)
    }
    return await Deadline(settings.deadline).limit { [self] in
      let capacity =
        known > 0 ? known : await fetcher.waitForCapacity(for: Self.intake, mayReturn: mayGoBack)
      guard capacity > 0, let first = try? await slots.reserve(ahead: true, mayGoBack: mayGoBack) else {
        return []
      }
      return [first] + reserveMore(min(count, capacity) - 1, mayGoBack: mayGoBack)
    } ?? []
  }

  private func reserveMore(_ count: Int, mayGoBack: Bool) -> [SlotReservation] {
    let slots = services.slots
    let more = slots.takeFree(min(count, slots.free / 2))
    return (0..<more).map { _ in SlotReservation(of: slots, ahead: true, mayGoBack: mayGoBack) }
  }

  /// How many payloads may wait for their hosts, beside those whose media are being fetched.
  package var maximumWaiting: Int { (settings.hosts?.waitingBytes ?? 0) / Self.waitingBytes }

  /// Transfers at once that the memory and the concurrency allow, and how many of these slots payloads hold.
  package var transfers: (slots: Int, taken: Int) { (services.slots.count, services.slots.inUse) }

  /// Private memory that the process may have, in bytes.
  package var memoryLimit: Int { services.memory.total }

  /// Why no medium will ever be fetched; nil if the memory is enough for one at least.
  package var memoryFailure: Failure? { services.slots.lack }

  /// Hosts that are not asked now because they do not answer, in no order.
  package var unhealthyHosts: [UnhealthyHost] { services.fetcher.unhealthyHosts }

  /// How often the cache helped since the start; nil without one.
  package var cacheCounts: CacheCounts? { services.cache.counts }

  /// Why no medium will ever be stored unless the operator acts; nil if all is well, or the disk takes more
  /// than five seconds to answer.
  package func storeFailure() async -> Failure? {
    await Deadline(.seconds(5)).limit { [store = services.store] in await store.lastingFailure() }
  }

  /// Tries whether the store takes a file; for five seconds at most.
  /// - Returns: why it does not; nil if it does.
  package func tryStore() async -> Failure? {
    // Two optionals: the inner one is nil if the store takes it, the outer one if there is no answer.
    let answer: Failure?? = await Deadline(settings.storePatience).limit { [store = services.store] in
      .some(await store.tryOut())
    }
    return answer ?? .storeHangs
  }
}
