internal import Glibc
internal import Supporting

/// A payload with the headers that travel beside it.
package struct Message: Sendable, Equatable {
  /// Names the header with the bytes of headers that were too long. A message that has it is not processed.
  package static let truncatedHeadersName = "cut-headers"
  /// Names the header with the number of hand-outs before a message was put to the end of its queue.
  package static let crashHeader = "enrich-crashes"

  /// The same from the first queue to the last, so that a consumer can recognise a duplicate.
  package let id: String
  package var body: [UInt8]
  package var headers: [Header]
  /// Only between queues of RabbitMQ, in its encoding: content type, priority, headers that are no text.
  package let brokerProperties: [UInt8]

  package init(id: String, body: [UInt8], headers: [Header] = [], brokerProperties: [UInt8] = []) {
    self.id = id
    self.body = body
    self.headers = headers
    self.brokerProperties = brokerProperties
  }

  /// A message with a new id: 128 random bits.
  package init(body: [UInt8], headers: [Header] = []) {
    var id = InlineArray<16, UInt8>(repeating: 0)
    // One call of the kernel: Swift's own generator takes one for each 64 bits.
    unsafe arc4random_buf(&id, MemoryLayout.size(ofValue: id))
    self.init(id: String(hexadecimal: id.span), body: body, headers: headers)
  }

  /// Bytes that it takes in memory.
  package var size: Int {
    headers.reduce(id.utf8.count + body.count + brokerProperties.count) {
      $0 + MemoryLayout<Header>.stride + $1.name.utf8.count + $1.value.utf8.count
    }
  }

  /// The last value of the header `name`.
  package func header(_ name: String) -> String? { headers.last { $0.name == name }?.value }

  /// Removes the `crashHeader`, and returns its number, 0 to `Delivery.maximumAttempt`.
  mutating func takeCrashes() -> Int {
    guard let text = header(Self.crashHeader) else { return 0 }
    headers.removeAll { $0.name == Self.crashHeader }
    return min(max(0, Int(text) ?? 0), Delivery.maximumAttempt)
  }

  /// The message without headers of an earlier result, which begin with `enrich-`.
  package var withoutResultHeaders: Message {
    var message = self
    message.headers.removeAll { $0.name.utf8.starts(with: "enrich-".utf8) }
    return message
  }
}

/// A name and a value beside a payload: `apns-topic`, a device token. Order and duplicates are kept.
package struct Header: Sendable, Equatable {
  package let name, value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// How much of messages is held in memory, in bytes.
package enum MessageLimits {
  /// A batch of this size takes no further message: 64 payloads of 4 KB each.
  package static let maximumBatchSize = 262_144
  /// Longer bodies from a server are truncated to this: twice the longest payload, so that they are refused.
  package static let maximumBodySize = 131_072
  /// Suffix of the queue that keeps in full what was truncated in another, if the broker allows it.
  package static let tooLongSuffix = "-too-long"
}

/// Names of the headers that a worker adds to what it publishes. All begin with `enrich-`.
package enum ResultHeader {
  /// `enriched`, or `unmodified`.
  package static let outcome = "enrich-outcome"
  /// Why a payload is unmodified; only then.
  package static let reason = "enrich-reason"
  /// Whole milliseconds from receipt to result.
  package static let elapsed = "enrich-elapsed-ms"
}
