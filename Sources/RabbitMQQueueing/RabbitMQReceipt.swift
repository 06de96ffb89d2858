/// Identifies a delivery: the session on which it is out, and its tag there.
struct RabbitMQReceipt: Hashable, Sendable {
  let session: UInt64
  let tag: UInt64

  init(session: UInt64, tag: UInt64) {
    self.session = session
    self.tag = tag
  }

  /// Nil for text that is not a valid receipt.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let session = UInt64(parts[0], radix: 36), let tag = UInt64(parts[1]) else {
      return nil
    }
    self.init(session: session, tag: tag)
  }

  var text: String { "\(String(session, radix: 36))-\(tag)" }
}

extension AMQPSession {
  /// Whether the delivery is out on this session. Those of earlier sessions are back in the queue.
  func isOut(_ receipt: RabbitMQReceipt) -> Bool { receipt.session == id && unsettled.contains(receipt.tag) }

  /// Whether the delivery can be nobody else's.
  func holds(_ receipt: RabbitMQReceipt) -> Bool { isOut(receipt) || orphans.contains(receipt) }
}
