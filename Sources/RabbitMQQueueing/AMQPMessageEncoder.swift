internal import CRabbitMQ
internal import Queueing

/// Converts the properties of outgoing messages for librabbitmq.
enum AMQPMessageEncoder {
  /// - Parameters:
  ///   - pool: owns the memory that the properties point to.
  ///   - frameLength: the longest frame that the broker reads. If a dead letter does not fit, it is cut.
  static func properties(
    of message: Message, in pool: borrowing AMQPPool,
    frameLength: Int = Int(AMQPConnection.usualFrameLength)
  ) -> amqp_basic_properties_t {
    var properties = unsafe decoded(message.brokerProperties, in: pool)
    let typed = unsafe properties._flags & AMQPFlag.headers != 0 ? Array(properties.headers.asArray) : []
    unsafe properties.headers = pool.table(entries(passedOn(message.headers), typed: typed, in: pool))
    unsafe properties.message_id = pool.text(AMQPIdentifier.fitting(message.id))
    unsafe properties.delivery_mode = UInt8(AMQP_DELIVERY_PERSISTENT.rawValue)
    unsafe properties._flags |= AMQPFlag.headers | AMQPFlag.messageID | AMQPFlag.deliveryMode
    if isDeadLetter(message) {
      // RabbitMQ would drop it before anybody has looked at it.
      unsafe properties._flags &= ~AMQPFlag.expiration
      unsafe properties.headers = cut(properties, of: message, frameLength: frameLength, in: pool)
    }
    return unsafe properties
  }

  static func decoded(_ wire: [UInt8], in pool: borrowing AMQPPool) -> amqp_basic_properties_t {
    var decoded: UnsafeMutableRawPointer?
    guard !wire.isEmpty,
      unsafe amqp_decode_properties(UInt16(AMQP_BASIC_CLASS), pool.pointer, pool.bytes(wire), &decoded)
        == AMQP_STATUS_OK.rawValue
    else { return unsafe amqp_basic_properties_t() }
    return unsafe decoded?.load(as: amqp_basic_properties_t.self) ?? amqp_basic_properties_t()
  }

  /// Keeps the original type of each header, unless its value has changed.
  private static func entries(
    _ headers: [Header], typed: [amqp_table_entry_t], in pool: borrowing AMQPPool
  ) -> [amqp_table_entry_t] {
    var typed = unsafe typed
    var entries = unsafe [amqp_table_entry_t]()
    for header in headers {
      let (name, text) = (header.name, header.value)
      let same = unsafe typed.firstIndex { unsafe $0.key.text == name && $0.value.text == text }
      unsafe entries.append(same.map { unsafe typed.remove(at: $0) } ?? pool.entry(name, text: text))
    }
    // Adds values that cannot be written as text, such as tables.
    return unsafe entries + typed.filter { unsafe $0.value.text == nil }
  }

  /// Leaves out the broker's own headers, and those whose names the protocol does not allow.
  private static func passedOn(_ headers: [Header]) -> [Header] {
    headers.filter {
      1...AMQPIdentifier.maximumLength ~= $0.name.utf8.count
        && !AMQPProperties.brokerHeaders.contains($0.name)
    }
  }
}
