internal import CRabbitMQ
internal import Queueing

extension AMQPSession {
  /// How a queue is declared (AMQP 0-9-1 reference, `queue.declare`).
  enum Declaration {
    /// By its name only, which fails where it is missing.
    case passive
    /// Created where it is missing; fails where it is of another type.
    case active(RabbitMQURL.QueueType)
  }

  /// Makes sure that the queue and exchange of the URL exist. An existing queue is used as it is; a new one
  /// is durable.
  /// - Throws: `QueueError.refused` for what is missing and cannot be created.
  mutating func prepare(_ url: RabbitMQURL) throws(QueueError) {
    // On a separate channel, because the broker closes it when something is missing.
    let channel: amqp_channel_t = 3
    try open(channel)
    (queue, queueType) = (url.queue, url.queueType)
    if !url.target.exchange.isEmpty { try checkExchange(url.target.exchange, on: channel) }
    guard let queue = url.queue else { return }
    try declare(queue, .passive, on: channel)
    switch try reply() {
    case .counted: return
    case .closed(AMQP_NOT_FOUND, _): break
    case let event: throw unexpected(event)
    }
    try open(channel)
    try declare(queue, .active(url.queueType), on: channel)
    switch try reply() {
    case .counted: return
    // Another process was faster, and created one of another type.
    case .closed(AMQP_PRECONDITION_FAILED, _): return
    case let event: throw unexpected(event)
    }
  }

  /// Whether `queue` stays when its last consumer goes, unlike one that was declared with `auto-delete`. The
  /// broker tells only by refusing a declaration that differs, and compares the arguments last:
  /// rabbit_amqqueue.erl, `assert_equivalence`.
  mutating func outlivesConsumers(_ queue: String) throws(QueueError) -> Bool {
    // Without the right to declare it: no, which means taking messages one by one.
    try difference(of: queue, on: 4).map { $0.contains("inequivalent arg 'x-") } ?? true
  }

  /// Who counts how often messages of `queue` were handed out: a quorum queue does, which is always durable
  /// and shared. If another argument differs, the broker names that one, and not the type.
  mutating func findCounting(of queue: String) throws(QueueError) -> Counting {
    let text = try difference(of: queue, on: 5) ?? ""
    func differs(in name: String) -> Bool { text.contains("inequivalent arg '\(name)'") }
    if ["durable", "auto_delete", "exclusive"].contains(where: differs) { return .nobody }
    guard text.isEmpty || differs(in: "x-queue-type") else { return .unknown }
    return (queueType == .quorum) == text.isEmpty ? .queue : .nobody
  }

  /// How the broker says that the existing `queue` differs from a new one; nil if it does not.
  /// - Parameter channel: a separate one, which the broker closes if it does.
  private mutating func difference(
    of queue: String, on channel: amqp_channel_t
  ) throws(QueueError) -> String? {
    try open(channel)
    try declare(queue, .active(queueType), on: channel)
    switch try reply() {
    case .counted: return nil
    case .closed(_, let text): return text
    case let event: throw unexpected(event)
    }
  }

  /// Declares a queue. The reply is `.counted`.
  mutating func declare(_ queue: String, _ declaration: Declaration, on channel: amqp_channel_t)
    throws(QueueError)
  {
    let pool = AMQPPool()
    let arguments = unsafe self.arguments(of: declaration, in: pool)
    let isPassive: amqp_boolean_t = if case .passive = declaration { 1 } else { 0 }
    let method = unsafe amqp_queue_declare_t(
      ticket: 0, queue: pool.text(queue), passive: isPassive, durable: 1, exclusive: 0, auto_delete: 0,
      nowait: 0,
      arguments: arguments)
    unsafe try connection.send(AMQP_QUEUE_DECLARE_METHOD, method, on: channel)
  }

  private func arguments(of declaration: Declaration, in pool: borrowing AMQPPool) -> amqp_table_t {
    guard case .active(let type) = declaration else { return unsafe amqp_empty_table }
    var entries = unsafe [pool.entry("x-queue-type", text: type.rawValue)]
    // RabbitMQ 4 drops messages after 20 hand-outs by default, and looking at dead letters is one.
    if type == .quorum { unsafe entries.append(pool.entry("x-delivery-limit", number: 1_000_000)) }
    return unsafe pool.table(entries)
  }

  private mutating func checkExchange(_ exchange: String, on channel: amqp_channel_t) throws(QueueError) {
    let pool = AMQPPool()
    let method = unsafe amqp_exchange_declare_t(
      ticket: 0, exchange: pool.text(exchange), type: amqp_empty_bytes, passive: 1, durable: 0,
      auto_delete: 0,
      internal: 0, nowait: 0, arguments: amqp_empty_table)
    unsafe try connection.send(AMQP_EXCHANGE_DECLARE_METHOD, method, on: channel)
    switch try reply() {
    case .done(AMQP_EXCHANGE_DECLARE_OK_METHOD): return
    case .closed(let code, let text): throw QueueError(closed: code, text, by: server)
    case let event: throw unexpected(event)
    }
  }
}
