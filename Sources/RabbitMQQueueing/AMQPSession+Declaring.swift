internal import CRabbitMQ
internal import Queueing

extension AMQPSession {
  /// How a queue is asked for: by its name only, or made where it is missing.
  enum Declaration { case look, make }

  /// Makes sure that there is what the URL names. An existing queue is used as it is; a new one is durable, and a quorum queue.
  /// - Throws: `QueueError.refused` for what is missing and cannot be made.
  mutating func prepare(_ url: RabbitMQURL) throws(QueueError) {
    // A channel of its own, which the broker closes when something is missing.
    let channel: amqp_channel_t = 3
    try open(channel)
    if let exchange = url.exchange { try look(for: exchange, on: channel) }
    guard let queue = url.queue else { return }
    try declare(queue, .look, on: channel)
    switch try answer() {
    case .counted: return
    case .closed(AMQP_NOT_FOUND, _): break
    case let event: throw unexpected(event)
    }
    try open(channel)
    try declare(queue, .make, on: channel)
    switch try answer() {
    case .counted: return
    // Somebody else was faster, and made another kind of it.
    case .closed(AMQP_PRECONDITION_FAILED, _): return
    case let event: throw unexpected(event)
    }
  }

  /// Asks for a queue, whose answer is `.counted`.
  func declare(_ queue: String, _ declaration: Declaration, on channel: amqp_channel_t) throws(QueueError) {
    let pool = AMQPPool()
    // RabbitMQ 4 would lose what was handed out twenty times, and people who look at dead letters do that.
    let arguments = unsafe pool.table([
      pool.entry("x-queue-type", text: "quorum"), pool.entry("x-delivery-limit", number: 1_000_000),
    ])
    let method = unsafe amqp_queue_declare_t(
      ticket: 0, queue: pool.text(queue), passive: declaration == .look ? 1 : 0, durable: 1, exclusive: 0,
      auto_delete: 0, nowait: 0, arguments: declaration == .look ? amqp_empty_table : arguments)
    unsafe try connection.send(AMQP_QUEUE_DECLARE_METHOD, method, on: channel)
  }

  private mutating func look(for exchange: String, on channel: amqp_channel_t) throws(QueueError) {
    let pool = AMQPPool()
    let method = unsafe amqp_exchange_declare_t(
      ticket: 0, exchange: pool.text(exchange), type: amqp_empty_bytes, passive: 1, durable: 0, auto_delete: 0,
      internal: 0, nowait: 0, arguments: amqp_empty_table)
    unsafe try connection.send(AMQP_EXCHANGE_DECLARE_METHOD, method, on: channel)
    switch try answer() {
    case .done(AMQP_EXCHANGE_DECLARE_OK_METHOD): return
    case .closed(let code, let text): throw QueueError(closed: code, text, by: server)
    case let event: throw unexpected(event)
    }
  }
}
