internal import CRabbitMQ
internal import Queueing

/// A message as a broker hands it out, on one channel.
struct AMQPDelivery {
  let arrival = ContinuousClock.now
  /// Whether it is the reply to a get, or else comes from a subscription.
  var isFromGet = true
  let tag: UInt64
  let message: Message
  let isRedelivered: Bool
  /// Earlier hand-outs, up to `Delivery.maximumAttempt`, by a quorum queue's count, or its sender's.
  var deliveryCount: Int?
  /// Hand-outs before it was published again (`AMQPSession.republishUncounted`).
  let crashes: Int

  var attempt: Int { crashes + (isRedelivered ? deliveryCount ?? 1 : 0) + 1 }
  /// Whether it was handed out before, and nobody counted how often.
  var isUncounted: Bool { isRedelivered && deliveryCount == nil }
}

/// A message on its way in: a method, then its properties, then the body piece by piece.
struct AMQPContent {
  /// Nil for a message that comes back because no queue gets it.
  private let delivery: (tag: UInt64, isRedelivered: Bool, isFromGet: Bool)?
  private var properties = AMQPProperties()
  private var body: [UInt8] = []
  /// Bytes of the body that have not arrived; nil until the properties have.
  private var missing: UInt64?

  /// Nil for a method without content.
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

  /// - Parameter length: of the whole body, in bytes.
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
    let message = properties.message(body: body)
    guard let delivery else { return .returned(id: message.id) }
    return .delivered(
      AMQPDelivery(
        isFromGet: delivery.isFromGet, tag: delivery.tag, message: message,
        isRedelivered: delivery.isRedelivered, deliveryCount: properties.deliveryCount,
        crashes: properties.crashes))
  }
}
