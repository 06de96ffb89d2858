package import Fetching
package import Notifications

/// What a worker needs from an enricher other than enriching payloads.
extension Enricher {
  /// Where the payloads are in a message.
  package var envelopes: EnvelopeChoice { settings.envelopes }

  /// The memory of a waiting payload's task and timer, in bytes. Its body takes three times its
  /// size. (A reused task takes 10 KB, but the pool keeps no more tasks than payloads in flight.)
  static let waitingBytes = 8_000

  /// The memory to plan for a payload that has not arrived yet. Few bodies are longer than 1 KB.
  private static let intake = waitingBytes + 3 * 1_024

  /// Reserves one place each for up to `count` payloads, so that none waits for earlier ones.
  /// - Parameter mayGoBack: whether the queue takes back payloads that cannot start. If not, takes
  ///   no more than can wait for their hosts.
  /// - Returns: an empty array if downloads are stuck for a whole deadline, or memory is too low.
  package func reservePlaces(upTo count: Int, mayGoBack: Bool) async -> [PlaceReservation] {
    if memoryFailure != nil { return [] }
    let intake = Admission.Intake.ahead(upTo: count, size: Self.intake, mayReturn: mayGoBack)
    // Usually there is room at once. This saves a task and a timer.
    let places = services.fetcher.admission.takeNow(intake)
    if !places.isEmpty { return places }
    return await Deadline(settings.deadline).limit { [services] in
      await services.fetcher.admission.take(intake)
    } ?? []
  }

  /// How many payloads may wait for their hosts, in addition to those that fetch media.
  package var maximumWaiting: Int { (settings.hosts?.waitingBytes ?? 0) / Self.waitingBytes }

  /// How many downloads memory and concurrency allow at once, and how many of them are taken.
  package var transfers: (slots: Int, taken: Int) {
    (services.fetcher.admission.places, services.fetcher.admission.inUse)
  }

  package var memoryLimit: Int { services.memory.total }

  /// Why no medium can ever be fetched, or nil if there is memory for at least one.
  package var memoryFailure: Failure? { services.memoryFailure }

  package var unhealthyHosts: [UnhealthyHost] { services.fetcher.admission.unhealthyHosts }

  /// How often the cache has helped since the start, or nil without a cache.
  package var cacheCounts: CacheCounts? { services.cache.counts }

  /// Why no medium can be stored, and whether that lasts until the operator acts. Nil if media can be stored.
  package func storeFailure() async -> (failure: Failure, isLasting: Bool)? {
    // The inner optional is nil if the store works, the outer one if it does not answer.
    let answer: (failure: Failure, isLasting: Bool)?? = await Deadline(.seconds(5)).limit {
      [store = services.store] in .some(await store.failure())
    }
    return answer ?? (.storeHangs, false)
  }

  /// Tries to store a file.
  /// - Returns: why that failed, or nil if it worked.
  package func tryStore() async -> Failure? {
    // The inner optional is nil if the store works, the outer one if it does not answer.
    let answer: Failure?? = await Deadline(settings.storePatience).limit { [store = services.store] in
      .some(await store.tryOut())
    }
    return answer ?? .storeHangs
  }
}
