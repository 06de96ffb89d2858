internal import CRabbitMQ
internal import Queueing

/// Properties that are too long: they must fit into one frame, and the broker ends a connection that sends more.
extension AMQPMessageEncoder {
  /// What else is in that frame: its type, channel, length and end, the class, and the length of the body.
  private static let overhead = 20
  /// More than the flags, the id, the delivery mode and `cut-headers` take.
  private static let lengthBesideHeaders = 512

  /// Why the broker would not read the message. Nil if its properties fit into a frame.
  static func rejection(
    of message: Message, frameLength: Int, by server: RabbitMQURL.Server
  ) -> Rejection? {
    let room = frameLength - overhead
    guard greatestLength(of: message) > room else { return nil }
    let pool = AMQPPool()
    let properties = unsafe properties(of: message, in: pool, frameLength: frameLength)
    let length = unsafe length(of: properties, atMost: greatestLength(of: message))
    guard length > room else { return nil }
    return Rejection(
      "message-too-large",
      detail:
        "its headers and properties take \(length) bytes, and \(server.name) takes \(room): send shorter headers"
    )
  }

  /// An upper bound in bytes. Headers that are not text but have a text form, such as numbers, count twice.
  private static func greatestLength(of message: Message) -> Int {
    // On the wire, a header is a short string, a type and a long string.
    message.headers.reduce(message.brokerProperties.count + lengthBesideHeaders) {
      $0 + 1 + $1.name.utf8.count + 5 + $1.value.utf8.count
    }
  }

  private static func length(of properties: amqp_basic_properties_t, atMost longest: Int) -> Int {
    var properties = unsafe properties
    var wire = [UInt8](repeating: 0, count: longest)
    let length = unsafe wire.withUnsafeMutableBytes { wire in
      unsafe amqp_encode_properties(
        UInt16(AMQP_BASIC_CLASS), &properties, amqp_bytes_t(len: wire.count, bytes: wire.baseAddress))
    }
    return length < 0 ? longest : Int(length)
  }

  /// Whether a worker has written the message for people to look at. There is no other place for it.
  static func isDeadLetter(_ message: Message) -> Bool {
    let reason = message.header(ResultHeader.reason)
    return message.header(ResultHeader.outcome) == "rejected" || reason == "poison"
      || reason == "invalid-payload"
  }

  /// Drops the longest headers of a dead letter until the rest fits a frame, and adds `cut-headers`. Keeps those
  /// that say why it is one.
  /// - Parameter properties: with all headers of `message`.
  /// - Returns: the headers.
  static func cut(
    _ properties: amqp_basic_properties_t, of message: Message, frameLength: Int, in pool: borrowing AMQPPool
  ) -> amqp_table_t {
    let longest = greatestLength(of: message)
    guard longest > frameLength - overhead else { return unsafe properties.headers }
    let excess = unsafe length(of: properties, atMost: longest) - (frameLength - overhead)
    guard excess > 0 else { return unsafe properties.headers }
    let entries = unsafe Array(properties.headers.asArray)
    let lengths = unsafe lengths(of: entries, atMost: longest)
    var dropped: Set<Int> = []
    var missing = 0
    for index in lengths.indices.sorted(by: { lengths[$0] > lengths[$1] }) {
      // Leaves room for the new header.
      guard missing < excess + 32 else { break }
      if unsafe entries[index].key.text.hasPrefix("enrich-") { continue }
      dropped.insert(index)
      missing += lengths[index]
    }
    var kept = unsafe [amqp_table_entry_t]()
    for index in lengths.indices where !dropped.contains(index) { unsafe kept.append(entries[index]) }
    return unsafe pool.table(kept + [pool.entry(Message.truncatedHeadersName, text: "\(missing)")])
  }

  private static func lengths(of entries: [amqp_table_entry_t], atMost longest: Int) -> [Int] {
    var wire = [UInt8](repeating: 0, count: longest)
    return unsafe wire.withUnsafeMutableBytes { wire in
      let wire = unsafe amqp_bytes_t(len: wire.count, bytes: wire.baseAddress)
      return unsafe entries.map { entry in
        var entry = unsafe entry
        return unsafe withUnsafeMutablePointer(to: &entry) { entry in
          var table = unsafe amqp_table_t(num_entries: 1, entries: entry)
          var length = 0
          unsafe amqp_encode_table(wire, &table, &length)
          // In front of its headers, a table has its own length.
          return max(0, length - 4)
        }
      }
    }
  }
}
