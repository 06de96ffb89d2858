internal import CRabbitMQ
internal import Queueing

/// A message that a broker has handed out on a channel.
struct AMQPDelivery {
  let arrival = ContinuousClock.now
  /// True if it is the reply to a get, false if it comes from a subscription.
  var isFromGet = true
  let tag: UInt64
  let message: Message
  let isRedelivered: Bool
  /// Earlier hand-outs, as a quorum queue or the sender counts them. At most `maximumAttempt`.
  var deliveryCount: Int?
  /// How often it was handed out before it was last republished (`Message.crashHeader`).
  let crashes: Int

  var attempt: Int { crashes + (isRedelivered ? deliveryCount ?? 1 : 0) + 1 }
  /// Whether it was handed out before, but no count says how often.
  var isUncounted: Bool { isRedelivered && deliveryCount == nil }
}

/// A message that is arriving: a method, then its properties, then pieces of its body.
struct AMQPContent {
  /// Nil for a message that the broker returns because no queue gets it.
  private let delivery: (tag: UInt64, isRedelivered: Bool, isFromGet: Bool)?
  private var properties = AMQPProperties()
  private var body: [UInt8] = []
  /// How many bytes of the body are still to come. Nil until the properties have arrived.
  private var missing: UInt64?

  /// Returns nil if the method has no content.
  init?(_ method: amqp_method_t) {
    guard let arguments = unsafe method.decoded else { return nil }
    switch unsafe method.id {
    case AMQP_BASIC_GET_OK_METHOD:
      let get = unsafe arguments.load(as: amqp_basic_get_ok_t.self)
      delivery = unsafe (get.delivery_tag, get.redelivered != 0, true)
    case AMQP_BASIC_DELIVER_METHOD:
      let deliver = unsafe arguments.load(as: amqp_basic_deliver_t.self)
      delivery = unsafe (deliver.delivery_tag, deliver.redelivered != 0, false)
    case AMQP_BASIC_RETURN_METHOD: delivery = nil
    default: return nil
    }
  }

  var isComplete: Bool { missing == 0 }

  /// - Parameter length: the length of the whole body in bytes.
  mutating func begin(properties: UnsafeMutableRawPointer?, length: UInt64) {
    if let properties = unsafe properties {
      unsafe self.properties = AMQPProperties(properties.load(as: amqp_basic_properties_t.self))
    }
    missing = length
    body.reserveCapacity(Int(min(length, UInt64(MessageLimits.maximumBodySize))))
  }

  mutating func append(_ piece: amqp_bytes_t) {
    guard let start = unsafe piece.bytes, let missing else { return }
    let room = MessageLimits.maximumBodySize - body.count
    unsafe body += UnsafeRawBufferPointer(start: start, count: min(piece.len, room))
    self.missing = missing - min(missing, UInt64(unsafe piece.len))
  }

  var event: AMQPEvent {
    guard let delivery else { return .returned(id: properties.id) }
    let message = properties.message(body: body)
    return .delivered(
      AMQPDelivery(
        isFromGet: delivery.isFromGet, tag: delivery.tag, message: message,
        isRedelivered: delivery.isRedelivered, deliveryCount: properties.deliveryCount,
        crashes: properties.crashes))
  }
}
