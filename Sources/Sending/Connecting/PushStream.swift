internal import Queueing
internal import Supporting

/// A push on its way: waiting for a stream, or in one. Belongs to the loop's thread.
final class PushStream {
  /// How many times a push is sent again because its connection ended without an answer to it.
  static let maximumRepeats = 3
  /// How many times a push is sent again because it was not processed.
  static let maximumRefusals = 32

  let request: PushRequest
  let batch: PushBatch
  private let index: Int
  private(set) var repeats = 0
  var refusals = 0
  /// When to give up. Set if its batch is cancelled.
  var end: MonotonicTime?

  // While it is in a stream of a connection:
  /// The index in the connection's list of streams.
  var place = 0
  var id: Int32 = 0
  var start = MonotonicTime.now
  /// How many bytes of the body have been framed.
  var sent = 0
  /// Whether the request was sent, or may have been.
  var isOpened = false
  /// Whether the stream was reset because no answer came.
  var isGivenUp = false
  var status = 0
  var answer: [UInt8] = []
  var authorization: String?

  init(_ batch: PushBatch, _ index: Int) {
    self.batch = batch
    self.index = index
    request = batch.requests[index]
  }

  /// Forgets the stream that the push was in.
  func reset() {
    (place, id, sent, isOpened, isGivenUp, status) = (0, 0, 0, false, false, 0)
    answer = []
    authorization = nil
  }

  /// Notes that APNs may have taken the push, but its answer got lost.
  func noteLost() {
    repeats += 1
    batch.noteLost(index)
  }

  /// Why it must not be sent any more, if it has expired. Most pushes never expire, and need not ask the clock.
  var expiry: Rejection? { request.expiration == nil ? nil : request.expiry(at: Int(WallClock.seconds)) }

  func finish(_ outcome: PushOutcome) { batch.end(index, outcome) }
}

/// Pushes in the order in which they will be sent.
struct PushLine {
  private var items: [PushStream?] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }
  var count: Int { items.count - head }
  var first: PushStream? { isEmpty ? nil : items[head] }

  mutating func append(_ push: PushStream) { items.append(push) }

  mutating func prepend(_ push: PushStream) {
    if head > 0 {
      head -= 1
      items[head] = push
    } else {
      items.insert(push, at: 0)
    }
  }

  mutating func removeFirst() {
    items[head] = nil
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: head <= 1_024)
      head = 0
    } else if head > 1_024, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
  }

  /// Removes and returns the pushes that `isTaken` selects.
  mutating func take(_ isTaken: (PushStream) -> Bool) -> [PushStream] {
    let all = items[head...].compactMap(\.self)
    (items, head) = (all.filter { !isTaken($0) }, 0)
    return all.filter(isTaken)
  }
}
