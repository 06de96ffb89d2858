/// The tables of a database file, and operations on them. A transaction is made up of operations.
package protocol SQLiteTable: ~Copyable, SendableMetatype {
  /// Opens or creates the file at `path`. Blocks on the disk.
  init(path: String) throws(QueueError)

  /// Starts a transaction as the only writer.
  mutating func begin() throws(QueueError)
  mutating func commit() throws(QueueError)
  mutating func rollBack()
}

extension SQLiteTable where Self: ~Copyable {
  /// Runs `body` as the only writer. Its changes are durable afterwards, or undone if it throws.
  mutating func transaction<Value>(
    _ body: (inout Self) throws(QueueError) -> Value
  ) throws(QueueError) -> Value {
    try begin()
    do throws(QueueError) {
      let value = try body(&self)
      try commit()
      return value
    } catch {
      rollBack()
      throw error
    }
  }
}
