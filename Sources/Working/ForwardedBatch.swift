internal import Queueing

/// Deliveries that were taken together, and are not settled yet.
struct ForwardedBatch: Sendable {
  struct Item: Sendable {
    let delivery: Delivery
    /// Whose order is kept. Nil for none.
    let line: String?
    /// Counts the messages in the order of their receipt.
    let number: Int
    /// The number of the first message of its batch.
    let batch: Int
    /// When to send it.
    var due = ContinuousClock.now
    /// Why the sink rejects it; nil as long as it does not.
    var rejection: Rejection?
  }

  /// A message that is to be put aside.
  struct Aside: Sendable {
    let item: Item
    /// In milliseconds since 1970.
    let until: Int64
    /// Why.
    let detail: String
  }

  var items: [Item]

  init(_ deliveries: [Delivery], from number: Int) {
    let now = ContinuousClock.now
    items = deliveries.enumerated().map {
      Item(delivery: $1, line: $1.message.line, number: number + $0, batch: number, due: now)
    }
  }
}
