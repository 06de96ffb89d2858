internal import CRabbitMQ

extension amqp_bytes_t {
  /// Empty if the pointer is null.
  var copy: [UInt8] {
    guard let start = unsafe bytes, unsafe len > 0 else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: len))
  }

  var text: String { unsafe String(decoding: copy, as: UTF8.self) }
}

extension amqp_table_t {
  var asArray: UnsafeBufferPointer<amqp_table_entry_t> {
    unsafe UnsafeBufferPointer(start: entries, count: Int(num_entries))
  }
}

extension amqp_field_value_t {
  /// Nil if the value has no text form: a table, an array, a decimal, or bytes that are not UTF-8.
  var text: String? {
    switch unsafe UInt32(kind) {
    case AMQP_FIELD_KIND_UTF8.rawValue, AMQP_FIELD_KIND_BYTES.rawValue:
      unsafe String(validating: value.bytes.copy, as: UTF8.self)
    case AMQP_FIELD_KIND_BOOLEAN.rawValue: unsafe value.boolean != 0 ? "true" : "false"
    case AMQP_FIELD_KIND_I8.rawValue: unsafe "\(value.i8)"
    case AMQP_FIELD_KIND_U8.rawValue: unsafe "\(value.u8)"
    case AMQP_FIELD_KIND_I16.rawValue: unsafe "\(value.i16)"
    case AMQP_FIELD_KIND_U16.rawValue: unsafe "\(value.u16)"
    case AMQP_FIELD_KIND_I32.rawValue: unsafe "\(value.i32)"
    case AMQP_FIELD_KIND_U32.rawValue: unsafe "\(value.u32)"
    case AMQP_FIELD_KIND_I64.rawValue: unsafe "\(value.i64)"
    case AMQP_FIELD_KIND_U64.rawValue, AMQP_FIELD_KIND_TIMESTAMP.rawValue: unsafe "\(value.u64)"
    case AMQP_FIELD_KIND_F32.rawValue: unsafe "\(value.f32)"
    case AMQP_FIELD_KIND_F64.rawValue: unsafe "\(value.f64)"
    default: nil
    }
  }
}
