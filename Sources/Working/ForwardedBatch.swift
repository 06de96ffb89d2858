internal import Queueing
internal import Supporting

/// Deliveries that were taken together, and are not settled yet.
struct ForwardedBatch: Sendable {
  /// Holds everything that does not change in one object, so that items are cheap to copy from list to list.
  struct Item: Sendable {
    private final class Content: Sendable {
      let delivery: Delivery
      let line: HashedText?
      let batch: Int

      init(_ delivery: Delivery, batch: Int) {
        (self.delivery, self.batch) = (delivery, batch)
        line = delivery.message.line.map(HashedText.init)
      }
    }

    private let content: Content
    /// Counts the messages in the order of their receipt.
    let number: Int
    /// When to send it.
    var due: MonotonicTime
    /// Why the sink has rejected it. Nil if it has not.
    var rejection: Rejection?

    init(_ delivery: Delivery, number: Int, batch: Int, due: MonotonicTime) {
      content = Content(delivery, batch: batch)
      (self.number, self.due) = (number, due)
    }

    var delivery: Delivery { content.delivery }
    /// The device whose order is kept (`Message.line`). Nil if the message names none.
    var line: HashedText? { content.line }
    /// The number of the first message of its batch.
    var batch: Int { content.batch }
  }

  /// A message that is to be put aside.
  struct Aside: Sendable {
    let item: Item
    /// In milliseconds since 1970.
    let until: Int64
    /// Why it is put aside.
    let detail: String
  }

  var items: [Item]

  init(_ deliveries: [Delivery], from number: Int) {
    let now = MonotonicTime.now
    items = deliveries.enumerated().map { Item($1, number: number + $0, batch: number, due: now) }
  }
}
