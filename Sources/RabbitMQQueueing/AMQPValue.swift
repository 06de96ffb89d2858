internal import CRabbitMQ
internal import Supporting

/// Typed values of an AMQP table.
enum AMQPValue {
  /// As the value of a header; nil for a value without a single spelling: a table, an array, a decimal, bytes that
  /// are not UTF-8.
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
}

/// Message ids that fit into AMQP's short strings.
enum AMQPIdentifier {
  /// Bytes of a short string (AMQP 0-9-1 section 4.2.5.3).
  static let maximumLength = 255

  /// `id` itself if it is short enough, else its SHA-256.
  static func fitting(_ id: String) -> String {
    id.utf8.count <= maximumLength ? id : digest(Array(id.utf8))
  }

  /// SHA-256 in hexadecimal digits. Random digits if there is no memory for it: two messages with one id would be
  /// taken for one.
  static func digest(_ bytes: [UInt8]) -> String {
    let digest =
      SHA256.digest(of: bytes.span) ?? (0..<SHA256.length).map { _ in UInt8.random(in: 0...255) }
    return String(hexadecimal: digest.span)
  }
}
