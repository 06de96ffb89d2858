internal import CRabbitMQ
internal import Queueing

/// Properties of an incoming message, copied from librabbitmq's memory.
struct AMQPProperties {
  /// In a quorum queue, how often the message was handed out before.
  private static let countHeader = "x-delivery-count"
  /// Headers of the broker itself (`x-acquired-count` since RabbitMQ 4), and those by which a sender has it
  /// route further copies (rabbitmq.com/docs/sender-selected): copies of the result would go there, too, and
  /// the broker refuses a text where it expects a list.
  static let brokerHeaders: Set = ["CC", "BCC", countHeader, "x-acquired-count"]

  private var id = ""
  private var headers: [Header] = []
  /// For `Message.brokerProperties`: in the encoding of the wire (AMQP 0-9-1 section 4.2.6.1).
  private var others: [UInt8] = []
  private(set) var deliveryCount: Int?
  private(set) var crashes = 0

  init() {}

  init(_ properties: amqp_basic_properties_t) {
    if unsafe properties._flags & AMQPFlag.messageID != 0 { id = unsafe properties.message_id.text }
    var typed = unsafe [amqp_table_entry_t]()
    if unsafe properties._flags & AMQPFlag.headers != 0 {
      for index in 0..<Int(unsafe properties.headers.num_entries) {
        let entry = unsafe properties.headers.asArray[index]
        let name = unsafe entry.key.text
        switch name {
        case Self.countHeader: deliveryCount = unsafe Self.count(entry.value)
        case Message.crashHeader: crashes = unsafe Self.count(entry.value) ?? 0
        case _ where Self.brokerHeaders.contains(name): continue
        default:
          if let text = unsafe AMQPValue.text(entry.value) { headers.append(Header(name, text)) }
          if unsafe !AMQPValue.isText(entry.value) { unsafe typed.append(entry) }
        }
      }
    }
    others = unsafe Self.others(than: properties, typed: typed)
  }

  /// A number of hand-outs, clamped: a sender may have written any number.
  private static func count(_ value: amqp_field_value_t) -> Int? {
    unsafe AMQPValue.text(value).flatMap { Int($0) }.map { min(max(0, $0), Delivery.maximumAttempt) }
  }

  /// All other properties, encoded as on the wire; empty where there are none.
  private static func others(than properties: amqp_basic_properties_t, typed: [amqp_table_entry_t]) -> [UInt8]
  {
    // Without the user id, which the broker compares with the user of the connection.
    let told = AMQPFlag.headers | AMQPFlag.messageID | AMQPFlag.deliveryMode | AMQPFlag.userID
    var rest = unsafe properties
    unsafe rest._flags &= ~told
    let pool = AMQPPool()
    if unsafe !typed.isEmpty {
      unsafe rest._flags |= AMQPFlag.headers
      unsafe rest.headers = pool.table(typed)
    }
    guard unsafe rest._flags != 0 else { return [] }
    var wire = [UInt8](repeating: 0, count: Int(AMQPConnection.frameLength))
    let length = unsafe wire.withUnsafeMutableBytes { wire in
      unsafe amqp_encode_properties(
        UInt16(AMQP_BASIC_CLASS), &rest, amqp_bytes_t(len: wire.count, bytes: wire.baseAddress))
    }
    return length > 0 ? Array(wire.prefix(Int(length))) : []
  }

  /// Without an id, its SHA-256 is the id: it is the same at each hand-out.
  func message(body: [UInt8]) -> Message {
    let id = id.isEmpty ? Self.digest(body, headers, others) : id
    return Message(id: id, body: body, headers: headers, brokerProperties: others)
  }

  private static func digest(_ body: [UInt8], _ headers: [Header], _ others: [UInt8]) -> String {
    var text = body
    for header in headers { text += Array("\n\(header.name): \(header.value)".utf8) }
    return AMQPIdentifier.digest(text + others)
  }
}

extension amqp_table_t {
  var asArray: UnsafeBufferPointer<amqp_table_entry_t> {
    unsafe UnsafeBufferPointer(start: entries, count: Int(num_entries))
  }
}
