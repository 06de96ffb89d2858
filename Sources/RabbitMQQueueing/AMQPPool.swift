internal import CRabbitMQ

/// Memory for values that librabbitmq reads. It is freed with the pool.
@safe struct AMQPPool: ~Copyable {
  let pointer = UnsafeMutablePointer<amqp_pool_t>.allocate(capacity: 1)

  init() { unsafe init_amqp_pool(pointer, 4_096) }

  deinit {
    unsafe empty_amqp_pool(pointer)
    unsafe pointer.deallocate()
  }

  /// Returns a copy in the pool, or no bytes if there is no memory.
  func bytes(_ bytes: some Collection<UInt8>) -> amqp_bytes_t {
    var copy = unsafe amqp_bytes_t()
    unsafe amqp_pool_alloc_bytes(pointer, bytes.count, &copy)
    guard let start = unsafe copy.bytes else { return unsafe amqp_empty_bytes }
    unsafe UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    return unsafe copy
  }

  func text(_ text: String) -> amqp_bytes_t { unsafe bytes(text.utf8) }

  /// Returns a table of these entries. Does not copy the values that they point to.
  func table(_ entries: [amqp_table_entry_t]) -> amqp_table_t {
    guard unsafe !entries.isEmpty,
      let memory = unsafe amqp_pool_alloc(pointer, entries.count * MemoryLayout<amqp_table_entry_t>.stride)
    else { return unsafe amqp_empty_table }
    let start = unsafe memory.bindMemory(to: amqp_table_entry_t.self, capacity: entries.count)
    unsafe start.initialize(from: entries, count: entries.count)
    return unsafe amqp_table_t(num_entries: Int32(clamping: entries.count), entries: start)
  }

  func entry(_ name: String, text: String) -> amqp_table_entry_t {
    unsafe entry(name, AMQP_FIELD_KIND_UTF8) { unsafe $0.value.bytes = self.text(text) }
  }

  func entry(_ name: String, flag: Bool) -> amqp_table_entry_t {
    unsafe entry(name, AMQP_FIELD_KIND_BOOLEAN) { unsafe $0.value.boolean = flag ? 1 : 0 }
  }

  func entry(_ name: String, number: Int64) -> amqp_table_entry_t {
    unsafe entry(name, AMQP_FIELD_KIND_I64) { unsafe $0.value.i64 = number }
  }

  func entry(_ name: String, table: amqp_table_t) -> amqp_table_entry_t {
    unsafe entry(name, AMQP_FIELD_KIND_TABLE) { unsafe $0.value.table = unsafe table }
  }

  private func entry(
    _ name: String, _ kind: amqp_field_value_kind_t, _ setValue: (inout amqp_field_value_t) -> Void
  ) -> amqp_table_entry_t {
    var entry = unsafe amqp_table_entry_t()
    unsafe entry.key = unsafe text(name)
    unsafe entry.value.kind = UInt8(truncatingIfNeeded: kind.rawValue)
    unsafe setValue(&entry.value)
    return unsafe entry
  }
}
