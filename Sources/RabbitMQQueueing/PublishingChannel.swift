internal import CRabbitMQ
internal import Glibc
internal import Queueing

struct PublishingChannel {
  static let number: amqp_channel_t = 2
  /// How many messages are sent at once. With more, unread replies might fill the socket.
  private static let windowLength = 256
  private static let retries = 10

  private let replies: ReplyQueue
  /// How many messages were published on this channel. The broker numbers them the same way.
  var publishedCount: UInt64 = 0
  /// Whether the queue or the exchange may have changed.
  private(set) var hasLostRoute = false

  init(on replies: ReplyQueue) throws(QueueError) {
    self.replies = replies
    try open()
  }

  private mutating func open() throws(QueueError) {
    try replies.open(Self.number)
    try replies.connection.send(AMQP_CONFIRM_SELECT_METHOD, amqp_confirm_select_t(), on: Self.number)
    try replies.wait(for: AMQP_CONFIRM_SELECT_OK_METHOD)
    publishedCount = 0
  }

  typealias Target = RabbitMQURL.Target

  /// Publishes messages in this order, and waits until the broker has confirmed each. Rejects those whose
  /// headers are too long without sending them.
  mutating func send(_ messages: [Message], to target: Target) throws(QueueError) -> [SendResult] {
    let (length, server) = (replies.connection.frameLength, replies.server)
    let rejections = messages.map { AMQPMessageEncoder.rejection(of: $0, frameLength: length, by: server) }
    let fitting = zip(messages, rejections).filter { $1 == nil }.map(\.0)
    var answers = try sendFitting(fitting, to: target)[...]
    return rejections.map { $0.map { .rejected($0) } ?? answers.popFirst() ?? cutOff }
  }

  /// Retries messages that a queue turns down, as a quorum queue does while its leader is new.
  private mutating func sendFitting(
    _ messages: [Message], to target: Target
  ) throws(QueueError) -> [SendResult] {
    var results: [SendResult] = []
    while results.count < messages.count {
      let window = Array(messages[results.count...].prefix(Self.windowLength))
      var answers = try send(once: window, to: target)
      for _ in 0..<Self.retries {
        // Not to a named exchange: its other queues would get the message twice.
        let again = answers.indices.filter {
          answers[$0] == cutOff || target.exchange.isEmpty && answers[$0] == turnedDown(by: target)
        }
        if again.isEmpty { break }
        usleep(100_000)
        let newAnswers = try send(once: again.map { window[$0] }, to: target)
        for (index, answer) in zip(again, newAnswers) { answers[index] = answer }
      }
      results += answers
    }
    if results.contains(unroutable(to: target)) { hasLostRoute = true }
    return results
  }

  private mutating func send(once window: [Message], to target: Target) throws(QueueError) -> [SendResult] {
    // A blocked broker would not read the messages until it is unblocked.
    try replies.service()
    if let reason = replies.blocked {
      let refusal = SendResult.unavailable("\(replies.server.name) takes nothing now: \(reason)", after: nil)
      return window.map { _ in refusal }
    }
    let first = publishedCount + 1
    replies.connection.setCorked(true)
    for message in window {
      let pool = AMQPPool()
      unsafe try replies.connection.publish(
        message.body,
        AMQPMessageEncoder.properties(
          of: message, in: pool, frameLength: replies.connection.frameLength),
        exchange: pool.text(target.exchange), routingKey: pool.text(target.routingKey), on: Self.number)
      publishedCount += 1
    }
    replies.connection.setCorked(false)
    return try confirmations(of: window, to: target, first: first)
  }

  private mutating func confirmations(
    of window: [Message], to target: Target, first: UInt64
  ) throws(QueueError) -> [SendResult] {
    var results = [SendResult](repeating: .sent, count: window.count)
    var isOpen = [Bool](repeating: true, count: window.count)
    while isOpen.contains(true) {
      switch try replies.reply() {
      case .returned(let id):
        // A returned message is confirmed afterwards, so it is the first open one with this id.
        let index = window.indices.first { index in
          isOpen[index] && results[index] == .sent && AMQPIdentifier.fitting(window[index].id) == id
        }
        // Never counts a returned message as sent, even if it is not recognized.
        for index in index.map({ [$0] }) ?? window.indices.filter({ isOpen[$0] }) {
          results[index] = unroutable(to: target)
        }
      case .confirmed(let number, let isMultiple, let isTaken)
      where number >= first && number - first < UInt64(window.count):
        let last = Int(number - first)
        for index in isMultiple ? 0...last : last...last where isOpen[index] {
          isOpen[index] = false
          if !isTaken { results[index] = turnedDown(by: target) }
        }
      case .closed(AMQP_PRECONDITION_FAILED, let text) where text.amqpDetail.hasPrefix("message size "):
        // The text `message size 16777217 is larger than …` names no message (rabbit_misc.erl,
        // `check_msg_size`).
        let detail = text.amqpDetail
        let size = detail.split(separator: " ").dropFirst(2).first.flatMap { Int($0) }
        let tooLong = Rejection("message-too-large", detail: "\(replies.server.name) refuses: \(detail)")
        for index in window.indices where isOpen[index] {
          results[index] = window[index].body.count == size ? .rejected(tooLong) : cutOff
        }
        try open()
        return results
      case let event: throw replies.unexpected(event)
      }
    }
    return results
  }

  /// For a message that the broker may or may not have stored.
  private var cutOff: SendResult {
    .unavailable("\(replies.server.name) has closed the channel because of other messages", after: nil)
  }

  /// For a message that was routed to a queue that has not stored it.
  private func turnedDown(by target: Target) -> SendResult {
    let (exchange, key) = (target.exchange, target.routingKey)
    let queue = exchange.isEmpty ? "the queue \(key)" : "a queue behind the exchange \(exchange)"
    return .unavailable(
      "\(queue) at \(replies.server.name) does not accept a message: it is full, or RabbitMQ's log says why",
      after: nil)
  }

  private func unroutable(to target: Target) -> SendResult {
    let (exchange, key, name) = (target.exchange, target.routingKey, replies.server.name)
    return .unavailable(
      exchange.isEmpty
        ? "the queue \(key) at \(name) is gone"
        : "no queue is bound to the exchange \(exchange) at \(name) for the routing key '\(key)': bind one, and it goes on by itself",
      after: nil)
  }
}
