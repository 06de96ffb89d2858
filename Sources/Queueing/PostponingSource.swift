/// A source that can put messages aside until a time of day. They wait in the queue, not in memory.
///
/// Messages of a line keep their order. While one of them is put aside, the caller must also put
/// aside the later messages of that line. Once due, they are handed out in the order in which they
/// were put into the queue, and before messages that came after them.
package protocol PostponingSource: Source {
  /// Puts a message aside, durably, and ends its delivery, which does not count as handed out.
  /// - Parameters:
  ///   - due: when it is handed out again, in milliseconds since 1970.
  ///   - line: the line whose order is kept, such as a device token. Nil for none.
  /// - Throws: `QueueError.leaseLost` if another process has the message now.
  func postpone(_ delivery: Delivery, until due: Int64, line: String?) async throws(QueueError)

  /// For each delivery, returns when an earlier message of its line that is put aside is due, in milliseconds
  /// since 1970. If there are several, the last one in the queue counts. Nil if there is none, or if the
  /// delivery has no line.
  func due(before deliveries: [Delivery]) async throws(QueueError) -> [Int64?]
}
