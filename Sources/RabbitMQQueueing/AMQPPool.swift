internal import CRabbitMQ

/// Memory for what is passed to librabbitmq, all freed with this value.
@safe struct AMQPPool: ~Copyable {
  private let pool: UnsafeMutablePointer<amqp_pool_t>

  init() {
    unsafe pool = .allocate(capacity: 1)
    unsafe init_amqp_pool(pool, 4_096)
  }

  deinit {
    unsafe empty_amqp_pool(pool)
    unsafe pool.deallocate()
  }

  var pointer: UnsafeMutablePointer<amqp_pool_t> { unsafe pool }

  /// A copy; empty where there is no memory.
  func bytes(_ bytes: some Collection<UInt8>) -> amqp_bytes_t {
    var copy = unsafe amqp_bytes_t()
    unsafe amqp_pool_alloc_bytes(pool, bytes.count, &copy)
    guard let start = unsafe copy.bytes else { return unsafe amqp_empty_bytes }
    unsafe UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    return unsafe copy
  }

  func text(_ text: String) -> amqp_bytes_t { unsafe bytes(text.utf8) }

  /// A table of copies of these entries, whose own contents are not copied.
  func table(_ entries: [amqp_table_entry_t]) -> amqp_table_t {
    guard unsafe !entries.isEmpty,
      let memory = unsafe amqp_pool_alloc(pool, entries.count * MemoryLayout<amqp_table_entry_t>.stride)
    else { return unsafe amqp_empty_table }
    let start = unsafe memory.bindMemory(to: amqp_table_entry_t.self, capacity: entries.count)
    unsafe start.initialize(from: entries, count: entries.count)
    return unsafe amqp_table_t(num_entries: Int32(clamping: entries.count), entries: start)
  }

  func entry(_ name: String, text value: String) -> amqp_table_entry_t {
    var entry = unsafe Self.entry(named: text(name), AMQP_FIELD_KIND_UTF8)
    unsafe entry.value.value.bytes = unsafe text(value)
    return unsafe entry
  }

  func entry(_ name: String, flag value: Bool) -> amqp_table_entry_t {
    var entry = unsafe Self.entry(named: text(name), AMQP_FIELD_KIND_BOOLEAN)
    unsafe entry.value.value.boolean = value ? 1 : 0
    return unsafe entry
  }

  func entry(_ name: String, number value: Int64) -> amqp_table_entry_t {
    var entry = unsafe Self.entry(named: text(name), AMQP_FIELD_KIND_I64)
    unsafe entry.value.value.i64 = value
    return unsafe entry
  }

  func entry(_ name: String, table value: amqp_table_t) -> amqp_table_entry_t {
    var entry = unsafe Self.entry(named: text(name), AMQP_FIELD_KIND_TABLE)
    unsafe entry.value.value.table = unsafe value
    return unsafe entry
  }

  private static func entry(
    named name: amqp_bytes_t, _ kind: amqp_field_value_kind_t
  ) -> amqp_table_entry_t {
    var entry = unsafe amqp_table_entry_t()
    unsafe entry.key = unsafe name
    unsafe entry.value.kind = UInt8(truncatingIfNeeded: kind.rawValue)
    return unsafe entry
  }
}

extension amqp_bytes_t {
  /// Empty for a null pointer.
  var copy: [UInt8] {
    guard let start = unsafe bytes, unsafe len > 0 else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: len))
  }

  var text: String { unsafe String(decoding: copy, as: UTF8.self) }
}
