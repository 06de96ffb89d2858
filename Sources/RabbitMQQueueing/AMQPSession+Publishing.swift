internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension AMQPSession {
  /// What became of a message.
  private enum Confirmation: Equatable {
    case taken
    /// Of those queues that it was for, one at least has not stored it.
    case turnedDown
    case unroutable
    /// It was not sent: the broker takes nothing, and has said why.
    case blocked(String)
  }

  /// Messages that are on their way at once. More, and the broker's answers might fill the way back while nobody reads them.
  private static var windowLength: Int { 256 }
  private static var retries: Int { 10 }

  /// Publishes messages in this order, persistently, and waits until the broker has them safe.
  /// - Returns: what became of each; nil is good.
  mutating func publish(_ messages: [Message], to target: RabbitMQURL.Target) throws(QueueError)
    -> [QueueError?]
  {
    var results: [Confirmation] = []
    while results.count < messages.count {
      let window = messages[results.count..<min(results.count + Self.windowLength, messages.count)]
      results += try publish(window: Array(window), to: target)
    }
    if results.contains(.unroutable) { isStale = true }
    return results.map { failure($0, target) }
  }

  /// Once more, a moment later, for what a queue has turned down: a quorum queue does that while its leader is new. Not behind an
  /// exchange with a name: the other queues have it, and would get it each time.
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
    // Nothing would come of it, and all of it much later.
    try breathe()
    if let blocked { return Array(repeating: .blocked(blocked), count: window.count) }
    let first = publishedCount + 1
    connection.gather(true)
    for message in window {
      let pool = AMQPPool()
      unsafe try connection.publish(
        message.body, AMQPOutgoing.properties(of: message, in: pool), exchange: pool.text(target.exchange),
        routingKey: pool.text(target.routingKey), on: Self.publishingChannel)
      publishedCount += 1
    }
    connection.gather(false)
    return try confirmations(of: window, first: first)
  }

  /// - Parameter first: the number of the first message.
  private mutating func confirmations(
    of window: [Message], first: UInt64
  ) throws(QueueError) -> [Confirmation] {
    var results = [Confirmation](repeating: .taken, count: window.count)
    var isOpen = [Bool](repeating: true, count: window.count)
    while isOpen.contains(true) {
      switch try answer() {
      case .returned(let id):
        // The message itself is confirmed only then: it is the first of those that are open.
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

  private func failure(_ confirmation: Confirmation, _ target: RabbitMQURL.Target) -> QueueError? {
    switch confirmation {
    case .taken: nil
    case .turnedDown where target.exchange.isEmpty:
      .unavailable(
        "the queue \(target.routingKey) at \(server.name) does not take a message: it is full, or RabbitMQ's log says more"
      )
    case .turnedDown:
      .unavailable(
        "a queue behind the exchange \(target.exchange) at \(server.name) does not take a message: it is full, or RabbitMQ's log says more"
      )
    case .unroutable where target.exchange.isEmpty:
      .unavailable("the queue \(target.routingKey) at \(server.name) is gone")
    case .unroutable:
      .unavailable(
        "no queue is bound to the exchange \(target.exchange) at \(server.name) for the routing key '\(target.routingKey)': bind one, and it goes on by itself"
      )
    case .blocked(let reason): .unavailable("\(server.name) takes nothing now: \(reason)")
    }
  }
}
