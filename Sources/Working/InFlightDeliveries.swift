internal import Enriching
internal import Queueing
internal import Supporting
internal import Synchronization

/// The deliveries that are being worked on: at most `limit`, fewer if they are long. `stop` is for
/// a process that is told to end, `close` for an error that makes more work useless.
final class InFlightDeliveries: Sendable {
  private static let pauseWhileStopping = Duration.milliseconds(200)

  private struct State {
    let limit: Int
    /// With this many bytes, no more are taken, so that long messages do not fill the memory.
    let maximumSize: Int
    /// Whether the media of messages are fetched, which takes memory, too.
    let hasMedia: Bool
    let gathers: Bool
    var deliveries: [String: Delivery] = [:]
    /// The number of deliveries. One that was handed out twice counts twice.
    var count = 0
    var size = 0
    /// The largest of the last batches. The next ones are expected to be like them.
    var expectedSize: Int
    var deadLetterSizes: [String: Int] = [:]
    var waiters: [Waiter<Int?>] = []
    var end: CheckedContinuation<Void, Never>?
    var closing: QueueError?
    var stopTime: ContinuousClock.Instant?

    func size(of message: Message) -> Int { hasMedia ? message.sizeWithMedia : message.size }

    /// How many more deliveries may be taken, or nil if no more may be.
    var capacity: Int? {
      guard deliveries.count < limit, size < maximumSize else { return nil }
      let free = min(limit - deliveries.count, max(1, (maximumSize - size) / max(1, expectedSize)))
      let all = min(limit, maximumSize / max(1, expectedSize))
      return gathers && free < all / 4 && !deliveries.isEmpty ? nil : free
    }
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - memory: that of the process, in bytes.
  ///   - hasMedia: whether the media of messages are fetched.
  ///   - gathers: whether to take more only when a quarter of all that fit is free. A batch of a few takes as many
  ///     hand-overs between threads as one of a hundred.
  init(limit: Int, transfers: Int, memory: Int, hasMedia: Bool = true, gathers: Bool = false) {
    // 8 KB for a message: a valid payload takes 5 KB, plus its headers. At least a twelfth of the
    // memory: messages take a quarter of it then.
    let maximumSize = max(memory / 12, transfers * 8_192)
    state = Mutex(
      State(
        limit: limit, maximumSize: maximumSize, hasMedia: hasMedia, gathers: gathers,
        expectedSize: maximumSize / 4))
  }

  var deliveries: [Delivery] { state.withLock { Array($0.deliveries.values) } }
  var isEmpty: Bool { state.withLock { $0.deliveries.isEmpty } }
  var closing: QueueError? { state.withLock { $0.closing } }
  var stopTime: ContinuousClock.Instant? { state.withLock { $0.stopTime } }

  /// Ends receiving. Messages that have left their queue are still worked on.
  func stop() { state.withLock { $0.stopTime = $0.stopTime ?? .now } }

  /// Ends all work. Keeps the first error, because later ones usually follow from it.
  func close(because error: QueueError) { state.withLock { $0.closing = $0.closing ?? error } }

  /// Waits for `duration`. Returns early if the task is cancelled, or 0.2 s after a stop at the
  /// latest. Waits in short steps, because a task that a deadline began does not learn of a stop.
  func pause(for duration: Duration) async {
    let end = ContinuousClock.now + duration
    repeat {
      let rest = ContinuousClock.now.duration(to: end)
      let step = min(rest, Self.pauseWhileStopping)
      guard rest > .zero, (try? await Task.sleep(for: step)) != nil else { return }
    } while stopTime == nil
  }

  /// Waits before another attempt, at least for `least`. After a stop, waits only 0.2 s.
  func pause(_ backoff: inout Backoff, least: Duration = .zero) async {
    await pause(for: stopTime == nil ? max(backoff.next(), least) : Self.pauseWhileStopping)
  }

  /// Waits until another delivery may be taken.
  /// - Returns: how many, at least one, or nil if the task was cancelled meanwhile.
  func waitForCapacity() async -> Int? {
    let waiter = Waiter<Int?>()
    let capacity = state.withLock { state in
      if state.capacity == nil { state.waiters.append(waiter) }
      return state.capacity
    }
    if let capacity { return capacity }
    return await waiter.wait(cancelled: nil) {
      state.withLock { state in
        state.waiters.firstIndex { $0 === waiter }.map { state.waiters.remove(at: $0) }
      }
    }
  }

  func enter(_ deliveries: [Delivery]) {
    state.withLock { state in
      state.expectedSize /= 2
      for delivery in deliveries {
        let size = state.size(of: delivery.message)
        state.deliveries[delivery.receipt] = delivery
        state.count += 1
        state.size += size
        state.expectedSize = max(state.expectedSize, size)
      }
    }
  }

  /// Returns whether the dead letter of `delivery` may be written, from now until the delivery
  /// leaves. While dead letters cannot be written, they take up at most a quarter of the capacity.
  func admitDeadLetter(of delivery: Delivery) -> Bool {
    state.withLock { state in
      if state.deadLetterSizes[delivery.receipt] != nil { return true }
      let size = state.size(of: delivery.message)
      let fits =
        state.deadLetterSizes.count < max(1, state.limit / 4)
        && state.deadLetterSizes.values.reduce(size, +) <= state.maximumSize / 4
      guard fits || state.deadLetterSizes.isEmpty else { return false }
      state.deadLetterSizes[delivery.receipt] = size
      return true
    }
  }

  func leave(_ delivery: Delivery) { leave(CollectionOfOne(delivery)) }

  func leave(_ deliveries: some Collection<Delivery>) {
    let (capacity, waiters, end) = state.withLock { state in
      for delivery in deliveries {
        state.deliveries[delivery.receipt] = nil
        if !state.deadLetterSizes.isEmpty { state.deadLetterSizes[delivery.receipt] = nil }
        state.count -= 1
        state.size -= state.size(of: delivery.message)
      }
      let (capacity, end) = (state.capacity, state.count == 0 ? state.end.take() : nil)
      defer { if capacity != nil { state.waiters = [] } }
      return (capacity, capacity == nil ? [] : state.waiters, end)
    }
    for waiter in waiters { waiter.resume(returning: capacity) }
    end?.resume()
  }

  /// Waits until every delivery has left, even if the task is cancelled. Call it once, after the
  /// last one has entered.
  func waitUntilEmpty() async {
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.count > 0 { state.end = continuation }
        return state.count == 0
      }
      if isEmpty { continuation.resume() }
    }
  }
}

extension Message {
  /// A third of the memory of a medium that waits its turn, because a message takes three times its
  /// size: text, index and result. 1.7 KB were measured, and the heap loses some.
  private static let medium = 900
  /// The least length of a medium in a payload: its name, its URL and four quotes.
  private static let leastMedium = 40

  /// The size to plan with before the message is read. An array of payloads has up to 100 media,
  /// each with a name. The memory for those of one payload is planned already.
  fileprivate var sizeWithMedia: Int {
    guard body.count > Enricher.maximumMedia * Self.leastMedium else { return size }
    let media = body.sum { $0 == UInt8(ascii: "\"") ? 1 : 0 } / 4
    if media <= Enricher.maximumMedia { return size }
    return size + min(Enricher.maximumMediaOfMessage, media) * Self.medium
  }
}
