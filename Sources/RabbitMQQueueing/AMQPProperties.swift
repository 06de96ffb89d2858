internal import CRabbitMQ
internal import Queueing
internal import Supporting

/// The properties of an incoming message.
struct AMQPProperties {
  /// The header in which a quorum queue counts hand-outs.
  private static let countHeader = "x-delivery-count"
  /// Headers that are not passed on: the broker's own, and `CC` and `BCC`, which list more routes
  /// (rabbitmq.com/docs/sender-selected). The broker refuses those two as text.
  static let brokerHeaders: Set = ["CC", "BCC", countHeader, "x-acquired-count"]

  /// Empty if the message has none.
  private(set) var id = ""
  private var headers: [Header] = []
  /// All other properties and non-text headers, in wire format (AMQP 0-9-1 section 4.2.6.1).
  private var others: [UInt8] = []
  private(set) var deliveryCount: Int?
  private(set) var crashes = 0

  init() {}

  init(_ properties: amqp_basic_properties_t) {
    if unsafe properties._flags & AMQPFlag.messageID != 0 { id = unsafe properties.message_id.text }
    var typed = unsafe [amqp_table_entry_t]()
    let entries = unsafe properties._flags & AMQPFlag.headers != 0 ? Array(properties.headers.asArray) : []
    for index in unsafe entries.indices {
      let entry = unsafe entries[index]
      let (name, text) = unsafe (entry.key.text, entry.value.text)
      switch name {
      case Self.countHeader: deliveryCount = Self.count(text)
      case Message.crashHeader: crashes = Self.count(text) ?? 0
      case _ where Self.brokerHeaders.contains(name): continue
      default:
        if let text { headers.append(Header(name, text)) }
        let isText = unsafe UInt32(entry.value.kind) == AMQP_FIELD_KIND_UTF8.rawValue && text != nil
        if !isText { unsafe typed.append(entry) }
      }
    }
    others = unsafe Self.others(than: properties, typed: typed)
  }

  /// Clamps the count, because a sender may have written any number.
  private static func count(_ text: String?) -> Int? {
    text.flatMap { Int($0) }.map { min(max(0, $0), Delivery.maximumAttempt) }
  }

  private static func others(than told: amqp_basic_properties_t, typed: [amqp_table_entry_t]) -> [UInt8] {
    var rest = unsafe told
    // Drops the user id, because the broker would compare it with the connection's user.
    unsafe rest._flags &= ~(AMQPFlag.headers | AMQPFlag.messageID | AMQPFlag.deliveryMode | AMQPFlag.userID)
    let pool = AMQPPool()
    if unsafe !typed.isEmpty {
      unsafe rest._flags |= AMQPFlag.headers
      unsafe rest.headers = pool.table(typed)
    }
    return unsafe wire(rest)
  }

  private static func wire(_ properties: amqp_basic_properties_t) -> [UInt8] {
    var properties = unsafe properties
    guard unsafe properties._flags != 0 else { return [] }
    let longest = AMQPConnection.usualFrameLength + AMQPConnection.tolerance
    var wire = [UInt8](repeating: 0, count: Int(longest))
    let length = unsafe wire.withUnsafeMutableBytes { wire in
      unsafe amqp_encode_properties(
        UInt16(AMQP_BASIC_CLASS), &properties, amqp_bytes_t(len: wire.count, bytes: wire.baseAddress))
    }
    return Array(wire.prefix(Int(max(0, length))))
  }

  /// The `brokerProperties` of a message without the time after which RabbitMQ drops it from its queue.
  static func withoutExpiration(_ wire: [UInt8]) -> [UInt8] {
    let pool = AMQPPool()
    var properties = unsafe AMQPMessageEncoder.decoded(wire, in: pool)
    guard unsafe properties._flags & AMQPFlag.expiration != 0 else { return wire }
    unsafe properties._flags &= ~AMQPFlag.expiration
    return unsafe self.wire(properties)
  }

  /// A message without an id gets its SHA-256 as its id, which is the same at each hand-out.
  func message(body: [UInt8]) -> Message {
    var id = id
    if id.isEmpty {
      let text = headers.map { "\n\($0.name): \($0.value)" }.joined()
      id = AMQPIdentifier.digest(body + Array(text.utf8) + others)
    }
    return Message(id: id, body: body, headers: headers, brokerProperties: others)
  }
}

extension Message {
  /// The copy to put back into the queue. With its expiration, it could expire there, although a worker took it in time.
  var withoutExpiration: Message {
    let properties = AMQPProperties.withoutExpiration(brokerProperties)
    return Message(id: id, body: body, headers: headers, brokerProperties: properties)
  }
}

/// Bits of `amqp_basic_properties_t._flags`.
enum AMQPFlag {
  static let headers = amqp_flags_t(AMQP_BASIC_HEADERS_FLAG)
  static let expiration = amqp_flags_t(AMQP_BASIC_EXPIRATION_FLAG)
  static let deliveryMode = amqp_flags_t(AMQP_BASIC_DELIVERY_MODE_FLAG)
  static let messageID = amqp_flags_t(AMQP_BASIC_MESSAGE_ID_FLAG)
  static let userID = amqp_flags_t(AMQP_BASIC_USER_ID_FLAG)
}

/// Message ids that fit into AMQP's short strings.
enum AMQPIdentifier {
  /// The maximum length of a short string in bytes (AMQP 0-9-1 section 4.2.5.3).
  static let maximumLength = 255

  /// Returns `id` if it is short enough, or else its SHA-256.
  static func fitting(_ id: String) -> String { id.utf8.count <= maximumLength ? id : digest(Array(id.utf8)) }

  /// SHA-256 in hexadecimal digits. Random if memory is short: no two messages may share an id.
  static func digest(_ bytes: [UInt8]) -> String {
    let digest = SHA256.digest(of: bytes.span) ?? (0..<SHA256.length).map { _ in .random(in: 0...255) }
    return String(hexadecimal: digest.span)
  }
}
