internal import Glibc
internal import Supporting

/// A payload with the headers that travel beside it.
package struct Message: Sendable, Equatable {
  /// Name of the header that gives the size in bytes of headers dropped for length. A message that has it is
  /// not processed.
  package static let truncatedHeadersName = "cut-headers"
  /// Name of the header that gives how often a message was handed out that has since been put to the end of
  /// its queue.
  package static let crashHeader = "enrich-crashes"

  /// The same from the first queue to the last, so that a consumer can recognise a duplicate.
  package let id: String
  /// The payload, byte for byte.
  package var body: [UInt8]
  package var headers: [Header]
  /// Further properties in the broker's own encoding, kept only between queues of one kind; empty where there
  /// are none. Only RabbitMQ has them: content type, priority, headers that are numbers or tables.
  package let brokerProperties: [UInt8]

  package init(id: String, body: [UInt8], headers: [Header] = [], brokerProperties: [UInt8] = []) {
    self.id = id
    self.body = body
    self.headers = headers
    self.brokerProperties = brokerProperties
  }

  /// A message with an id of its own: 128 random bits.
  package init(body: [UInt8], headers: [Header] = []) {
    var id = InlineArray<16, UInt8>(repeating: 0)
    // All with one call of the kernel: Swift's own generator takes one for each 64 bits.
    unsafe arc4random_buf(&id, MemoryLayout.size(ofValue: id))
    self.init(id: String(hexadecimal: id.span), body: body, headers: headers)
  }

  /// Bytes that it takes in memory.
  package var size: Int {
    headers.reduce(id.utf8.count + body.count + brokerProperties.count) {
      $0 + MemoryLayout<Header>.stride + $1.name.utf8.count + $1.value.utf8.count
    }
  }

  var withoutCrashes: Message {
    guard header(Self.crashHeader) != nil else { return self }
    var message = self
    message.headers.removeAll { $0.name == Self.crashHeader }
    return message
  }

  /// The number in its `crashHeader`, 0 to `Delivery.maximumAttempt`: a sender may have written any.
  var crashes: Int {
    let count = header(Self.crashHeader).flatMap { Int($0) } ?? 0
    return min(max(0, count), Delivery.maximumAttempt)
  }

  /// The last value of the header `name`.
  package func header(_ name: String) -> String? { headers.last { $0.name == name }?.value }
}

/// A name and a value beside a payload: `apns-topic`, a device token, whatever the sender uses. Order and
/// duplicates are kept.
package struct Header: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// How much of messages is held in memory, in bytes.
package enum MessageLimits {
  /// A batch that has reached this size takes no further message: 64 payloads of 4 KB each.
  package static let maximumBatchSize = 262_144
  /// Longer bodies from a server are truncated to this: twice the longest payload, so that a truncated body
  /// is refused as one.
  package static let maximumBodySize = 131_072
  /// Suffix of the queue that keeps in full what was truncated in another, where the broker allows it.
  package static let tooLongSuffix = "-too-long"
}

/// Names of the headers that a worker adds to what it publishes.
package enum ResultHeader {
  /// `enriched`, or `unmodified`.
  package static let outcome = "enrich-outcome"
  /// Why a payload is unmodified; only then.
  package static let reason = "enrich-reason"
  /// Whole milliseconds from receipt to result.
  package static let elapsed = "enrich-elapsed-ms"

  fileprivate static let prefix = "enrich-"
}

extension Message {
  /// The message without headers whose names begin with `enrich-`: those of an earlier result would
  /// contradict the next one.
  package var withoutResultHeaders: Message {
    var message = self
    message.headers.removeAll { $0.name.utf8.starts(with: ResultHeader.prefix.utf8) }
    return message
  }
}
