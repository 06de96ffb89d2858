/// Identifies a delivery by the session that it is out on, and by its tag there.
struct RabbitMQReceipt: Hashable, Sendable {
  let session: UInt64
  let tag: UInt64

  var text: String { "\(String(session, radix: 36))-\(tag)" }
}

extension RabbitMQReceipt {
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let session = UInt64(parts[0], radix: 36), let tag = UInt64(parts[1])
    else { return nil }
    self.init(session: session, tag: tag)
  }
}
