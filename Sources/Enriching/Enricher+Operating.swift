package import Fetching

/// What a worker asks an enricher, beside enriching payloads.
extension Enricher {
  /// Memory of a waiting payload, in bytes, beside three times its own size: its task and its timer. (A task
  /// that was used before has 10 KB: no more are kept than payloads are in flight at once.)
  static let waitingBytes = 8_000

  /// Memory of a payload that is still to come, while it waits: with a body of 1 KB, which is a long one.
  private static let intake = waitingBytes + 3 * 1_024

  /// Reserves places for up to `count` payloads, one each, so that none waits for those taken before it.
  /// - Parameter mayGoBack: whether the queue takes back what cannot start. Otherwise no more are taken than
  ///   can wait for their hosts.
  /// - Returns: none if all downloads are stuck for a whole deadline, or the memory allows none.
  package func reservePlaces(upTo count: Int, mayGoBack: Bool) async -> [PlaceReservation] {
    if memoryFailure != nil { return [] }
    let intake = Admission.Intake.ahead(upTo: count, size: Self.intake, mayReturn: mayGoBack)
    // Mostly there is room at once: without a task and a timer.
    let places = services.fetcher.admission.takeNow(intake)
    if !places.isEmpty { return places }
    return await Deadline(settings.deadline).limit { [services] in
      await services.fetcher.admission.take(intake)
    } ?? []
  }

  /// How many payloads may wait for their hosts, beside those whose media are being fetched.
  package var maximumWaiting: Int { (settings.hosts?.waitingBytes ?? 0) / Self.waitingBytes }

  /// Downloads at once that the memory and the concurrency allow, and how many of these places payloads hold.
  package var transfers: (slots: Int, taken: Int) {
    (services.fetcher.admission.places, services.fetcher.admission.inUse)
  }

  package var memoryLimit: Int { services.memory.total }

  /// Why no medium will ever be fetched; nil if the memory is enough for one at least.
  package var memoryFailure: Failure? { services.memoryFailure }

  package var unhealthyHosts: [UnhealthyHost] { services.fetcher.admission.unhealthyHosts }

  /// How often the cache helped since the start; nil without one.
  package var cacheCounts: CacheCounts? { services.cache.counts }

  /// Why no medium will ever be stored unless the operator acts; nil if all is well, or the disk takes more
  /// than five seconds to answer.
  package func storeFailure() async -> Failure? {
    await Deadline(.seconds(5)).limit { [store = services.store] in await store.lastingFailure() }
  }

  /// Tries whether the store takes a file.
  /// - Returns: why it does not; nil if it does.
  package func tryStore() async -> Failure? {
    // Two optionals: the inner one is nil if the store takes it, the outer one if there is no answer.
    let answer: Failure?? = await Deadline(settings.storePatience).limit { [store = services.store] in
      .some(await store.tryOut())
    }
    return answer ?? .storeHangs
  }
}
