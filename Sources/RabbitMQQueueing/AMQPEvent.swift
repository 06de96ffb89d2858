internal import CRabbitMQ

enum AMQPEvent {
  case delivered(AMQPDelivery)
  /// The reply to a get: the queue is empty.
  case empty
  /// The broker has stored the message with this number, or will never store it if not `isTaken`.
  /// If `isMultiple`, this holds for all earlier messages, too.
  case confirmed(UInt64, isMultiple: Bool, isTaken: Bool)
  /// The broker has returned the message with this id as it was published, because no queue gets it.
  case returned(id: String)
  /// The queue exists, and this many of its messages are not handed out.
  case counted(Int)
  /// The broker accepts no messages, for this reason. Nil once it accepts them again.
  case blocked(String?)
  /// The broker has closed a channel because of a method sent on it.
  case closed(code: Int32, text: String)
  /// The broker has closed the connection, which can no longer be used.
  case ended(code: Int32, text: String)
  /// Another method, usually the reply to one that was sent.
  case done(amqp_method_number_t)

  /// - Parameter method: a method without content.
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
