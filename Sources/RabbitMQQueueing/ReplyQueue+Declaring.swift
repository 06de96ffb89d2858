internal import CRabbitMQ
internal import Queueing

extension amqp_queue_declare_t {
  /// A declaration of a durable queue (AMQP 0-9-1 reference, `queue.declare`).
  /// - Parameter type: the type of a queue to create; nil to accept only an existing one, as it is.
  init(_ queue: String, as type: RabbitMQURL.QueueType?, in pool: borrowing AMQPPool) {
    var entries = unsafe [amqp_table_entry_t]()
    if let type { unsafe entries.append(pool.entry("x-queue-type", text: type.rawValue)) }
    // RabbitMQ 4 drops a message after 20 hand-outs by default. Looking at dead letters is one.
    if type == .quorum { unsafe entries.append(pool.entry("x-delivery-limit", number: 1_000_000)) }
    unsafe self.init(
      ticket: 0, queue: pool.text(queue), passive: type == nil ? 1 : 0, durable: 1, exclusive: 0,
      auto_delete: 0, nowait: 0, arguments: pool.table(entries))
  }
}

extension ReplyQueue {
  /// Makes sure that the URL's queue and exchange exist. An existing queue is used as it is.
  /// - Throws: `QueueError.refused` if one of them is missing and cannot be created.
  func prepare(_ url: RabbitMQURL) throws(QueueError) {
    if !url.target.exchange.isEmpty {
      let pool = AMQPPool()
      let exchange = unsafe amqp_exchange_declare_t(
        ticket: 0, exchange: pool.text(url.target.exchange), type: amqp_empty_bytes, passive: 1, durable: 0,
        auto_delete: 0, internal: 0, nowait: 0, arguments: amqp_empty_table)
      if let (code, text) = unsafe try refusal(of: AMQP_EXCHANGE_DECLARE_METHOD, exchange) {
        throw QueueError(closed: code, text, by: server)
      }
    }
    guard let queue = url.queue, let (code, text) = try refusal(of: queue, as: nil) else { return }
    guard code == AMQP_NOT_FOUND else { throw QueueError(closed: code, text, by: server) }
    // Another process may be faster, and create the queue with another type.
    if let (code, text) = try refusal(of: queue, as: url.queueType), code != AMQP_PRECONDITION_FAILED {
      throw unexpected(.closed(code: code, text: text))
    }
  }

  typealias Refusal = (code: Int32, text: String)

  func refusal(of queue: String, as type: RabbitMQURL.QueueType?) throws(QueueError) -> Refusal? {
    let pool = AMQPPool()
    let declaration = unsafe amqp_queue_declare_t(queue, as: type, in: pool)
    return unsafe try refusal(of: AMQP_QUEUE_DECLARE_METHOD, declaration)
  }

  /// Sends a declaration on a new channel, which a refusal closes. Returns the refusal, or nil.
  private func refusal(
    of method: amqp_method_number_t, _ arguments: some BitwiseCopyable
  ) throws(QueueError) -> Refusal? {
    lastChannel += 1
    try open(lastChannel)
    try connection.send(method, arguments, on: lastChannel)
    switch try reply() {
    case .counted, .done(AMQP_EXCHANGE_DECLARE_OK_METHOD): return nil
    case .closed(let code, let text): return (code, text)
    case let event: throw unexpected(event)
    }
  }
}
