internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension AMQPSession {
  /// The broker's verdict on a message.
  private enum Confirmation: Equatable {
    case taken
    /// At least one of the queues that it was routed to has not stored it.
    case turnedDown
    case unroutable
    /// Not sent: the broker accepts nothing now, for this reason.
    case blocked(String)
  }

  /// Messages that are on their way at once. With more, the broker's replies might fill the socket while
  /// nobody reads.
  private static var windowLength: Int { 256 }
  private static var retries: Int { 10 }

  /// Publishes messages in this order, persistently, and waits for the broker's confirmation.
  /// - Returns: one result per message.
  mutating func publish(_ messages: [Message], to target: RabbitMQURL.Target) throws(QueueError)
    -> [SendResult]
  {
    var results: [Confirmation] = []
    while results.count < messages.count {
      let window = messages[results.count..<min(results.count + Self.windowLength, messages.count)]
      results += try publish(window: Array(window), to: target)
    }
    if results.contains(.unroutable) { isStale = true }
    return results.map { result(of: $0, target) }
  }

  /// Publishes again, a moment later, what a queue has turned down, as a quorum queue does while its leader
  /// is new. Not to a named exchange: its other queues have stored the message, and would get it again.
  private mutating func publish(
    window: [Message], to target: RabbitMQURL.Target
  ) throws(QueueError) -> [Confirmation] {
    var results = try publish(once: window, to: target)
    guard target.exchange.isEmpty else { return results }
    for _ in 0..<Self.retries {
      let refused = results.indices.filter { results[$0] == .turnedDown }
      if refused.isEmpty { break }
      usleep(100_000)
      let again = try publish(once: refused.map { window[$0] }, to: target)
      for (index, result) in zip(refused, again) { results[index] = result }
    }
    return results
  }

  private mutating func publish(once window: [Message], to target: RabbitMQURL.Target) throws(QueueError)
    -> [Confirmation]
  {
    // A blocked broker would not read it before it is unblocked.
    try serviceConnection()
    if let blocked { return Array(repeating: .blocked(blocked), count: window.count) }
    let first = publishedCount + 1
    connection.setCorked(true)
    for message in window {
      let pool = AMQPPool()
      unsafe try connection.publish(
        message.body, AMQPMessageEncoder.properties(of: message, in: pool),
        exchange: pool.text(target.exchange),
        routingKey: pool.text(target.routingKey), on: Self.publishingChannel)
      publishedCount += 1
    }
    connection.setCorked(false)
    return try confirmations(of: window, first: first)
  }

  /// - Parameter first: the number of the first message.
  private mutating func confirmations(
    of window: [Message], first: UInt64
  ) throws(QueueError) -> [Confirmation] {
    var results = [Confirmation](repeating: .taken, count: window.count)
    var isOpen = [Bool](repeating: true, count: window.count)
    while isOpen.contains(true) {
      switch try reply() {
      case .returned(let id):
        // A returned message is confirmed afterwards, so it is the first open one with this id.
        let index = window.indices.first { index in
          isOpen[index] && results[index] == .taken && AMQPIdentifier.fitting(window[index].id) == id
        }
        if let index { results[index] = .unroutable }
      case .confirmed(let number, let isMultiple, let isTaken):
        guard number >= first, number - first < UInt64(window.count) else {
          throw unexpected(.confirmed(number, isMultiple: isMultiple, isTaken: isTaken))
        }
        let last = Int(number - first)
        for index in isMultiple ? 0...last : last...last where isOpen[index] {
          isOpen[index] = false
          if !isTaken { results[index] = .turnedDown }
        }
      case let event:
        throw unexpected(event)
      }
    }
    return results
  }

  private func result(of confirmation: Confirmation, _ target: RabbitMQURL.Target) -> SendResult {
    let detail: String
    switch confirmation {
    case .taken: return .sent
    case .turnedDown where target.exchange.isEmpty:
      detail =
        "the queue \(target.routingKey) at \(server.name) does not take a message: it is full, or RabbitMQ's log says more"
    case .turnedDown:
      detail =
        "a queue behind the exchange \(target.exchange) at \(server.name) does not take a message: it is full, or RabbitMQ's log says more"
    case .unroutable where target.exchange.isEmpty:
      detail = "the queue \(target.routingKey) at \(server.name) is gone"
    case .unroutable:
      detail =
        "no queue is bound to the exchange \(target.exchange) at \(server.name) for the routing key '\(target.routingKey)': bind one, and it goes on by itself"
    case .blocked(let reason): detail = "\(server.name) takes nothing now: \(reason)"
    }
    return .unavailable(detail, after: nil)
  }
}
