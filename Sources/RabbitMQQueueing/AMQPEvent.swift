internal import CRabbitMQ

enum AMQPEvent {
  case delivered(AMQPDelivery)
  /// The reply to a get: the queue is empty.
  case empty
  /// The message published under this number, or each up to it, is stored, or (not `isTaken`) never will be.
  case confirmed(UInt64, isMultiple: Bool, isTaken: Bool)
  /// No queue gets the message that was published with this id.
  case returned(id: String)
  /// A queue exists, with this many messages that are not handed out.
  case counted(Int)
  /// The broker accepts nothing any more, for this reason; nil when it does again.
  case blocked(String?)
  /// The broker has closed a channel because of a method sent on it.
  case closed(code: Int32, text: String)
  /// The broker has closed the connection, which is of no use any more.
  case ended(code: Int32, text: String)
  /// The reply to another method.
  case done(amqp_method_number_t)

  /// - Parameter method: one without content.
  init(_ method: amqp_method_t) {
    self = .done(unsafe method.id)
    guard let arguments = unsafe method.decoded else { return }
    switch unsafe method.id {
    case AMQP_BASIC_GET_EMPTY_METHOD: self = .empty
    case AMQP_BASIC_ACK_METHOD:
      let ack = unsafe arguments.load(as: amqp_basic_ack_t.self)
      self = .confirmed(ack.delivery_tag, isMultiple: ack.multiple != 0, isTaken: true)
    case AMQP_BASIC_NACK_METHOD:
      let nack = unsafe arguments.load(as: amqp_basic_nack_t.self)
      self = .confirmed(nack.delivery_tag, isMultiple: nack.multiple != 0, isTaken: false)
    case AMQP_QUEUE_DECLARE_OK_METHOD:
      self = .counted(unsafe Int(arguments.load(as: amqp_queue_declare_ok_t.self).message_count))
    case AMQP_CONNECTION_BLOCKED_METHOD:
      self = .blocked(unsafe arguments.load(as: amqp_connection_blocked_t.self).reason.text)
    case AMQP_CONNECTION_UNBLOCKED_METHOD: self = .blocked(nil)
    case AMQP_CHANNEL_CLOSE_METHOD:
      let close = unsafe arguments.load(as: amqp_channel_close_t.self)
      self = unsafe .closed(code: Int32(close.reply_code), text: close.reply_text.text)
    case AMQP_CONNECTION_CLOSE_METHOD:
      let close = unsafe arguments.load(as: amqp_connection_close_t.self)
      self = unsafe .ended(code: Int32(close.reply_code), text: close.reply_text.text)
    default: break
    }
  }
}
