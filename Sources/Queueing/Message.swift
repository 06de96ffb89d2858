internal import Glibc
internal import Supporting

/// A payload with the headers that travel with it.
package struct Message: Sendable, Equatable {
  /// The header with the size of headers that were cut. A message that has it is not processed.
  package static let truncatedHeadersName = "cut-headers"
  /// The header with the number of hand-outs before the message was put at the end of its queue.
  package static let crashHeader = "enrich-crashes"

  /// The header that says why a line is not a record (`RecordError`). Its message is not processed.
  package static let recordErrorHeader = "record-error"

  /// The same from the first queue to the last, so that a consumer can recognize a duplicate.
  package let id: String
  package var body: [UInt8]
  package var headers: [Header]
  /// RabbitMQ's encoded content type, priority and non-text headers. Only used between its queues.
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
    // A single system call. Swift's own generator makes one for every 64 bits.
    unsafe arc4random_buf(&id, MemoryLayout.size(ofValue: id))
    self.init(id: String(hexadecimal: id.span), body: body, headers: headers)
  }

  /// How many bytes the message takes in memory.
  package var size: Int {
    headers.reduce(id.utf8.count + body.count + brokerProperties.count) {
      $0 + MemoryLayout<Header>.stride + $1.name.utf8.count + $1.value.utf8.count
    }
  }

  /// The last value of the header `name`.
  package func header(_ name: String) -> String? { headers.last { $0.name == name }?.value }

  /// Why the message must not be processed, whatever its body is. Nil if it may be.
  package var fault: String? {
    if header(Self.truncatedHeadersName) != nil { return "its headers were too long and have been cut" }
    return header(Self.recordErrorHeader)
  }

  /// Removes the `crashHeader` and returns its number, 0 to `Delivery.maximumAttempt`.
  mutating func takeCrashes() -> Int {
    guard let text = header(Self.crashHeader) else { return 0 }
    headers.removeAll { $0.name == Self.crashHeader }
    return min(max(0, Int(text) ?? 0), Delivery.maximumAttempt)
  }

  /// The message without the headers of an earlier result. They begin with `enrich-`.
  package var withoutResultHeaders: Message {
    var message = self
    message.headers.removeAll { $0.name.utf8.starts(with: "enrich-".utf8) }
    return message
  }
}

/// Travels beside a payload: `apns-topic`, a device token. Order and duplicates are kept.
package struct Header: Sendable, Equatable {
  package let name, value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Limits on the messages that are held in memory, in bytes.
package enum MessageLimits {
  /// A batch takes no more messages once it reaches this size: 64 payloads of 4 KB each.
  package static let maximumBatchSize = 262_144
  /// Longer bodies are truncated to this and then refused. It is twice the longest payload.
  package static let maximumBodySize = 131_072
  /// The suffix of the queue that keeps truncated messages in full, if the broker allows it.
  package static let tooLongSuffix = "-too-long"
}

/// Names of the headers that a worker adds to the messages that it publishes. All begin with `enrich-`.
package enum ResultHeader {
  /// `enriched`, or `unmodified`.
  package static let outcome = "enrich-outcome"
  /// Why a payload is unmodified. Not set if it is enriched.
  package static let reason = "enrich-reason"
  /// Why the target has rejected the message, and what to do about it. Only in dead letters.
  package static let detail = "enrich-detail"
  /// Which payloads of an enriched message are unchanged, and why. Not set if there are none.
  package static let leftOut = "enrich-left-out"
  /// Whole milliseconds from receipt to result.
  package static let elapsed = "enrich-elapsed-ms"
}
