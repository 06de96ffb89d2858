#if RabbitMQ
  import CRabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  @Suite("RabbitMQ: hand-outs are counted", .timeLimit(.minutes(5)))
  struct HandOutTests {
    @Test(
      "from the second one on if the queue counts them",
      arguments: [
        (false, nil, 1, false), (false, 0, 1, false), (false, 5, 1, false), (true, 2, 3, false),
        (true, nil, 2, true), (true, 0, 1, false),
      ] as [(Bool, Int?, Int, Bool)])
    func byQueue(isRedelivered: Bool, deliveryCount: Int?, attempt: Int, isUncounted: Bool) {
      let delivery = AMQPDelivery(
        tag: 1, message: Message(id: "a", body: [1]), isRedelivered: isRedelivered,
        deliveryCount: deliveryCount, crashes: 0)
      #expect(delivery.attempt == attempt)
      #expect(delivery.isUncounted == isUncounted)
    }

    @Test(
      "without trusting the sender's count",
      arguments: [("classic", "classic"), ("classic", "quorum"), ("quorum", "quorum")])
    func bySender(type: String, expected: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      try await server.open("\(url)&queue-type=\(type)").publish(deliveryCount: 1)
      for attempt in 1...4 {
        // The previous consumer is gone by now.
        let delivery = try await server.open("\(url)&queue-type=\(expected)").next()
        #expect(delivery.attempt == attempt)
      }
    }
  }

  extension RabbitMQQueue {
    /// Publishes a message with a delivery count in its headers, as other programs might.
    fileprivate func publish(deliveryCount: Int64) async throws {
      let name = client.url.queue ?? ""
      try await client.use { (session) throws(QueueError) in
        let pool = AMQPPool()
        var properties = unsafe amqp_basic_properties_t()
        unsafe properties._flags = AMQPFlag.headers
        unsafe properties.headers = pool.table([pool.entry("x-delivery-count", number: deliveryCount)])
        unsafe try session.replies.connection.publish(
          [1], properties, exchange: amqp_empty_bytes, routingKey: pool.text(name),
          on: PublishingChannel.number)
        session.publishing.publishedCount += 1
        guard case .confirmed(_, _, isTaken: true) = try session.replies.reply() else {
          throw .refused("it was not taken")
        }
      }
    }
  }
#endif
