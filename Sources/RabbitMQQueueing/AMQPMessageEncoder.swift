internal import CRabbitMQ
internal import Queueing

/// Converts the properties of outgoing messages for librabbitmq.
enum AMQPMessageEncoder {
  /// How many bytes of properties fit into a frame, besides its own overhead.
  private static let maximumLength = Int(AMQPConnection.usualFrameLength) - 4_096

  /// - Parameter pool: owns the memory that the properties point to.
  static func properties(of message: Message, in pool: borrowing AMQPPool) -> amqp_basic_properties_t {
    var properties = unsafe decoded(message.brokerProperties, in: pool)
    let typed = unsafe properties._flags & AMQPFlag.headers != 0 ? Array(properties.headers.asArray) : []
    let headers = fitting(message.headers, beside: message.brokerProperties.count)
    unsafe properties.headers = pool.table(entries(headers, typed: typed, in: pool))
    unsafe properties.message_id = pool.text(AMQPIdentifier.fitting(message.id))
    unsafe properties.delivery_mode = UInt8(AMQP_DELIVERY_PERSISTENT.rawValue)
    unsafe properties._flags |= AMQPFlag.headers | AMQPFlag.messageID | AMQPFlag.deliveryMode
    return unsafe properties
  }

  private static func decoded(_ wire: [UInt8], in pool: borrowing AMQPPool) -> amqp_basic_properties_t {
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

  /// Drops the broker's own headers and invalid ones, then the longest until the rest fits a frame.
  private static func fitting(_ headers: [Header], beside others: Int) -> [Header] {
    var headers = headers.filter {
      1...AMQPIdentifier.maximumLength ~= $0.name.utf8.count
        && !AMQPProperties.brokerHeaders.contains($0.name)
    }
    // On the wire, a header is a short string, a type and a long string.
    func length(_ header: Header) -> Int { 1 + header.name.utf8.count + 5 + header.value.utf8.count }
    var room = maximumLength - others - headers.reduce(0) { $0 + length($1) }
    while room < 0, let longest = headers.indices.max(by: { length(headers[$0]) < length(headers[$1]) }) {
      room += length(headers.remove(at: longest))
    }
    return headers
  }
}
