internal import CRabbitMQ
internal import Queueing

/// A message on its way in: a method, its properties, and the body piece by piece.
struct AMQPContent {
  private enum Purpose {
    case delivery(tag: UInt64, isRedelivered: Bool, isFromGet: Bool)
    case returned
  }

  private let purpose: Purpose
  private var properties = AMQPProperties()
  private var body: [UInt8] = []
  /// Bytes of the body that have not arrived; nil until the properties have.
  private var missing: UInt64?

  static func hasContent(_ method: amqp_method_t) -> Bool {
    [AMQP_BASIC_GET_OK_METHOD, AMQP_BASIC_DELIVER_METHOD, AMQP_BASIC_RETURN_METHOD].contains(unsafe method.id)
  }

  init(_ method: amqp_method_t) {
    switch unsafe (method.id, method.decoded) {
    case (AMQP_BASIC_GET_OK_METHOD, let arguments?):
      let get = unsafe arguments.load(as: amqp_basic_get_ok_t.self)
      purpose = unsafe .delivery(tag: get.delivery_tag, isRedelivered: get.redelivered != 0, isFromGet: true)
    case (AMQP_BASIC_DELIVER_METHOD, let arguments?):
      let deliver = unsafe arguments.load(as: amqp_basic_deliver_t.self)
      purpose = unsafe .delivery(
        tag: deliver.delivery_tag, isRedelivered: deliver.redelivered != 0, isFromGet: false)
    default:
      purpose = .returned
    }
  }

  var isComplete: Bool { missing == 0 }

  /// - Parameters:
  ///   - properties: of the class basic.
  ///   - length: of the whole body, in bytes.
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

  /// The event that it completes.
  var event: AMQPEvent {
    let message = properties.message(body: body)
    switch purpose {
    case .returned: return .returned(id: message.id)
    case .delivery(let tag, let isRedelivered, let isFromGet):
      return .delivered(
        AMQPDelivery(
          isFromGet: isFromGet, tag: tag, message: message, isRedelivered: isRedelivered,
          deliveryCount: properties.deliveryCount, crashes: properties.crashes))
    }
  }
}
