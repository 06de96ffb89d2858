internal import CRabbitMQ

/// Typed values of an AMQP table as text.
enum AMQPValue {
  /// As the value of a header; nil for what has no single spelling: tables, arrays, decimals, bytes that are
  /// not UTF-8.
  static func text(_ value: amqp_field_value_t) -> String? {
    switch unsafe UInt32(value.kind) {
    case AMQP_FIELD_KIND_UTF8.rawValue, AMQP_FIELD_KIND_BYTES.rawValue:
      unsafe String(validating: value.value.bytes.copy, as: UTF8.self)
    case AMQP_FIELD_KIND_BOOLEAN.rawValue: unsafe value.value.boolean != 0 ? "true" : "false"
    case AMQP_FIELD_KIND_I8.rawValue: unsafe "\(value.value.i8)"
    case AMQP_FIELD_KIND_U8.rawValue: unsafe "\(value.value.u8)"
    case AMQP_FIELD_KIND_I16.rawValue: unsafe "\(value.value.i16)"
    case AMQP_FIELD_KIND_U16.rawValue: unsafe "\(value.value.u16)"
    case AMQP_FIELD_KIND_I32.rawValue: unsafe "\(value.value.i32)"
    case AMQP_FIELD_KIND_U32.rawValue: unsafe "\(value.value.u32)"
    case AMQP_FIELD_KIND_I64.rawValue: unsafe "\(value.value.i64)"
    case AMQP_FIELD_KIND_U64.rawValue, AMQP_FIELD_KIND_TIMESTAMP.rawValue: unsafe "\(value.value.u64)"
    case AMQP_FIELD_KIND_F32.rawValue: unsafe "\(value.value.f32)"
    case AMQP_FIELD_KIND_F64.rawValue: unsafe "\(value.value.f64)"
    default: nil
    }
  }

  /// Whether `text` is the whole value, so that it need not be kept in its type.
  static func isText(_ value: amqp_field_value_t) -> Bool {
    unsafe UInt32(value.kind) == AMQP_FIELD_KIND_UTF8.rawValue && text(value) != nil
  }
}

/// Bits of `amqp_basic_properties_t._flags`.
enum AMQPFlag {
  static let headers = amqp_flags_t(AMQP_BASIC_HEADERS_FLAG)
  static let deliveryMode = amqp_flags_t(AMQP_BASIC_DELIVERY_MODE_FLAG)
  static let messageID = amqp_flags_t(AMQP_BASIC_MESSAGE_ID_FLAG)
  static let userID = amqp_flags_t(AMQP_BASIC_USER_ID_FLAG)
}
